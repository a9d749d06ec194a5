#pragma once

#include "core/bundle/bundle.h"

#include <optional>

namespace core {

/// The rank of a file that lies where BytePS and dPRO put it, ".../<local rank>/<file>" or
/// ".../<host>/<local rank>/<file>" with the hosts host0, host1 ... (also traces_0, worker0,
/// node0): the local rank, plus the local ranks of the hosts before, as the bundle has them. A host
/// that the bundle does not have is taken to have as many as this one. Absent where the folder is
/// no number.
std::optional<int> rankFromFolders(const BundleEntry &entry);

} // namespace core
