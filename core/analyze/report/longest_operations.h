#pragma once

#include "core/base/job_control.h"
#include "core/measure/device_work.h"
#include "core/model/trace.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace core {

/// What the operations of one name take a rank in an iteration: their own time, without the
/// operations that they call on the same thread, summed over threads and streams.
struct OperationTime
{
    std::string name;
    DeviceWorkKind kind = DeviceWorkKind::Compute;
    std::size_t ranks = 0; ///< that have it; the figures are of these
    // Per iteration, the mean over the compared iterations and the ranks.
    double count = 0;
    std::int64_t ns = 0;
    double share = 0; ///< of the iteration; of several at once it is more than their union's
    std::int64_t meanNs = 0; ///< of one operation
    /// From iteration to iteration within a rank: standard deviation (root of the ranks' mean
    /// variance). Absent where no rank has two iterations.
    std::optional<std::int64_t> deviationNs = {};
    // The ranks' own means.
    int leastRank = 0, mostRank = 0;
    std::int64_t leastNs = 0, mostNs = 0;
};

struct LongestOperations
{
    std::size_t names = 0; ///< of all operations
    std::vector<OperationTime> operations; ///< those that take all ranks together longest, first
};

inline constexpr std::size_t MostLongestOperations = 100;

/// Of the devices' work (see DeviceWork) that begins in a compared iteration, as recorded.
/// Throws Cancelled.
LongestOperations longestOperations(const Trace &trace, const JobControl &control);

} // namespace core
