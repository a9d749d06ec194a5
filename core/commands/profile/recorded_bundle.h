#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace core {

/// What recording cost, by rank 0's iterations before and while it was on.
struct RecordingCost
{
    double fraction = 0; ///< by how much the median recorded iteration was longer
    /// Half the 95 % interval of the fraction: Welch's t on the standard errors of the medians.
    /// Absent where iterations are too few to tell their noise.
    std::optional<double> noise;
    std::size_t before = 0, recorded = 0; ///< iterations
};

/// What a recording has left in its folder.
struct RecordedBundle
{
    std::set<int> ranks; ///< of PyTorch's traces
    std::optional<int> worldSize; ///< as rank 0 says in meta.json
    std::optional<int> iterations; ///< recorded of each rank
    std::optional<RecordingCost> cost; ///< as rank 0 says
    std::size_t files = 0; ///< in all folders below, but for those that are not completed
    std::size_t unfinishedFiles = 0; ///< that a rank did not write to their end
    std::uintmax_t bytes = 0;
};

/// Looks at names and at meta.json only. Files that cannot be read count as absent.
RecordedBundle lookAtBundle(const std::filesystem::path &folder);

/// For people: what was recorded, what is missing and what to do about it; one line each. `before`:
/// what was in the folder already when the job started.
std::vector<std::string> bundleLines(const RecordedBundle &bundle,
                                     const std::filesystem::path &folder,
                                     const RecordedBundle &before = {});

} // namespace core
