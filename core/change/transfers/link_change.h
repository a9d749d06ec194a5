#pragma once

#include "core/change/change_kind.h"

#include <memory>

namespace core {

/// bandwidth_mbit, bandwidth_scale, latency_us, world_size, collective: what links are like, how
/// many ranks use them and how all-reduces go over them. See rewriteTransfers().
std::unique_ptr<const ChangeKind> linkChange();

} // namespace core
