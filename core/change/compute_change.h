#pragma once

#include "core/change/change_kind.h"

#include <memory>

namespace core {

/// compute_scale and batch_scale: the time of the ranks' own work, and how much of it there is. See
/// scaleCompute().
std::unique_ptr<const ChangeKind> computeChange();

} // namespace core
