#pragma once

#include "core/analyze/diagnosis.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace core {

/// Where one rank's time goes; the parts but exposedWaitNs add up to the whole.
struct RankParts
{
    int rank = 0;
    std::int64_t computeNs = 0;
    std::int64_t exposedCommNs = 0;
    std::int64_t exposedWaitNs = 0; ///< of exposedCommNs, where SummaryData::hasWaits
    std::int64_t memOnlyNs = 0;
    std::int64_t idleNs = 0;
    std::int64_t lateNs = 0; ///< for which it alone was missing in a collective
    /// Place that shows the rank best: the collective it came last to by most, or that it
    /// waited for longest. NoSlice: it takes part in none.
    SliceId place = NoSlice;
    TimeRange placeRange = {}; ///< aligned
    SliceId waitPlace = NoSlice; ///< where it waited longest
    TimeRange waitRange = {}; ///< aligned

    std::int64_t totalNs() const { return computeNs + exposedCommNs + memOnlyNs + idleNs; }
};

/// What the summary shows of a diagnosis, in the units it shows it in.
struct SummaryData
{
    bool hasServers = false; ///< parameter servers are ranks; `parts` are of the others
    bool hasIterations = false; ///< false: the figures are of the whole recording
    std::int64_t iterationNs = 0; ///< typical iteration, slowest rank; or the longest window
    /// Length of the period that iterationNs is the mean over; 1: it is the median.
    std::size_t periodLength = 1;
    /// Mean over ranks of each one's median iteration: rare slow ones do not count. Where kinds of
    /// iterations repeat, or there are none: of the mean one, or the recording.
    PartTimes parts;
    bool hasWaits = false; ///< waiting for other ranks is told apart from transfer, of some rank
    /// For whom ranks wait more than half of the time that they wait, all ranks together.
    std::optional<int> waitedFor;
    bool isOnlyWaitedFor = false; ///< and for nobody else
    std::vector<RankParts> ranks; ///< mean iteration (or window) of each rank, by rank
    std::vector<std::int64_t> iterationNumbers; ///< by column of iterationTimesNs
    /// [ranks x iterations], row-major; 0 where a rank lacks the iteration.
    std::vector<std::int64_t> iterationTimesNs;

    std::int64_t iterationTimeNs(std::size_t rank, std::size_t iteration) const
    {
        return iterationTimesNs[rank * iterationNumbers.size() + iteration];
    }
};

SummaryData summarize(const Diagnosis &diagnosis);

} // namespace core
