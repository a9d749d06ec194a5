#pragma once

#include "core/change/change_kind.h"

#include <memory>

namespace core {

/// host_overhead_scale: the time of launching and host code. See withHostOverhead().
std::unique_ptr<const ChangeKind> hostChange();

} // namespace core
