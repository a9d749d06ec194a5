#pragma once

#include "core/change/change_kind.h"

#include <memory>

namespace core {

/// copy_scale: the time of copies to, from and on devices; 0 is an upper bound of what pinned
/// memory, fewer bytes or copies beside computation gain.
std::unique_ptr<const ChangeKind> copyChange();

/// Whether the op is a copy, or a fill, on a stream of a device.
bool isCopy(const Graph &graph, OpId op);

} // namespace core
