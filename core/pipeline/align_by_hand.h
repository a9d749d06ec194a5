#pragma once

#include "core/base/job_control.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace core {

/// What the user wants of one rank's clock.
struct ClockChange
{
    int rank = 0;
    /// Added to the rank's times; a drift that was solved stays. Empty: the solved clock again.
    std::optional<std::int64_t> offsetNs;
};

/// Keeps the changes in the project, beside what was solved; times are aligned with them from then
/// on. Throws Error for a rank that the project does not have, the reference, an impossible offset,
/// and a project whose import has not ended.
void alignByHand(const std::filesystem::path &project, const std::vector<ClockChange> &changes,
                 const JobControl &control);

} // namespace core
