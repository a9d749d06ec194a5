#pragma once

#include "core/change/change_kind.h"

#include <memory>

namespace core {

/// fusion_threshold_bytes and cycle_time_ms: gradients in Horovod's fusion buffers. See
/// withHorovodFusion().
std::unique_ptr<const ChangeKind> fusionChange();

} // namespace core
