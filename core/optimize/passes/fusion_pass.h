#pragma once

#include "core/optimize/pass.h"

#include <memory>

namespace core {

/// Horovod's fusion: fusion_threshold_bytes and cycle_time_ms.
std::unique_ptr<const Pass> fusionPass();

} // namespace core
