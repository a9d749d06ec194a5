#pragma once

#include "core/change/change_kind.h"

#include <memory>

namespace core {

/// comm_scale: the time of transfers, of all or of those between some ranks. See withCommScale().
std::unique_ptr<const ChangeKind> commChange();

} // namespace core
