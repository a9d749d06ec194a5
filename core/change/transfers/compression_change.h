#pragma once

#include "core/change/change_kind.h"

#include <memory>

namespace core {

/// compression: how many times fewer bytes gradients are sent as, and what converting them costs.
/// 2 is DDP's fp16_compress_hook (PyTorch, torch.distributed.algorithms.ddp_comm_hooks).
std::unique_ptr<const ChangeKind> compressionChange();

} // namespace core
