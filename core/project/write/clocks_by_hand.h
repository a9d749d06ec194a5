#pragma once

#include "core/model/clocks.h"

#include <filesystem>

namespace core {

/// Keeps in an existing project the clocks that are set by hand (none: all are as solved) and what
/// `used` says of all ranks with them; the solved ones stay beside them. An older project is
/// brought up to date, after a copy. Throws Error.
void saveClocksByHand(const std::filesystem::path &project, const ClocksByHand &byHand,
                      const AlignmentReport &used);

} // namespace core
