#pragma once

#include "core/model/clocks.h"

#include <filesystem>

namespace core {

/// Saves in an existing project the clocks that the user has set, and drops those set before.
/// `byHand`: empty if all clocks are as solved; the solved ones always stay in the project.
/// `used`: residuals and status of all ranks with these clocks.
/// Throws Error if there is no such project or it cannot be written.
void saveClocksByHand(const std::filesystem::path &project, const ClocksByHand &byHand,
                      const AlignmentReport &used);

} // namespace core
