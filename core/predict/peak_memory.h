#pragma once

#include "core/base/job_control.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"
#include "core/predict/prediction.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace core {

/// The largest amount allocated at once in the replayed iterations on one device of one rank.
struct MemoryPeak
{
    int rank = 0;
    std::optional<int> device; ///< absent: the host's memory, of a rank without accelerators
    std::size_t events = 0; ///< allocations and releases in these iterations
    std::uint64_t startBytes = 0; ///< at their beginning: weights, optimizer state, buckets ...
    std::uint64_t measuredBytes = 0;
    std::optional<std::uint64_t> predictedBytes; ///< absent: see PeakMemory::notPredicted
};

struct PeakMemory
{
    std::vector<MemoryPeak> devices; ///< by rank, then device
    std::optional<std::string> unknown; ///< why `devices` is empty, and what to do
    std::optional<std::string> notPredicted; ///< why a device has no predictedBytes
    std::vector<int> ranksWithout; ///< ranks without such records, where others have them

    /// The largest of all devices; absent where it is not known of one of them.
    std::optional<std::uint64_t> measuredBytes() const;
    std::optional<std::uint64_t> predictedBytes() const;
};

/// All allocations and releases of a worker, by time.
using MemoryEventsOf = std::function<std::vector<MemoryEvent>(WorkerId)>;

/// Walks the replayed schedule, as dPRO's replayer does for its memory budget (dPRO §5), but with
/// what was recorded instead of what operators are expected to need: every allocation and release
/// moves with the host op during which it happened, a release not before its allocation; the level
/// is what was allocated when the iterations began and the sum of these. The allocators of the
/// frameworks act when the host asks them, so the times of device work do not matter. `result` is
/// of `measured`. Holds one worker's events at a time.
PeakMemory peakMemory(const Trace &trace, const Graph &measured, const Prediction &result,
                      const MemoryEventsOf &eventsOf, const JobControl &control);

} // namespace core
