#pragma once

#include "core/change/change_kind.h"

#include <memory>

namespace core {

/// expand: collectives are replayed and shown chunk by chunk. See withChunks().
std::unique_ptr<const ChangeKind> expandChange();

} // namespace core
