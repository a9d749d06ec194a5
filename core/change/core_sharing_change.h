#pragma once

#include "core/change/change_kind.h"

#include <memory>

namespace core {

/// What other ranks, or other shares of the work, lead to on hosts whose ranks share cores. See
/// CoreSharing.
std::unique_ptr<const ChangeKind> coreSharingChange();

} // namespace core
