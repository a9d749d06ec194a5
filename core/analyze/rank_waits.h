#pragma once

#include "core/analyze/diagnosis.h"
#include "core/base/interval_set.h"
#include "core/model/trace.h"

#include <map>
#include <vector>

namespace core {

/// Communication of one worker apart into waiting and transfer, in its raw clock: as
/// CollectiveRankReport::waitNs, of all its collectives together.
struct WorkerWaits
{
    struct Segment
    {
        TimeRange range;
        int rank = 0; ///< that comes last: of several waited for at once, the last of them
    };

    bool isKnown = false; ///< it takes part in collectives that were matched across ranks
    std::vector<Segment> segments; ///< disjoint, by time
    IntervalSet waiting; ///< all of them
    /// From when the last rank has come; calls without a match on every rank whole.
    IntervalSet transfers;
};

/// By WorkerId.
std::vector<WorkerWaits> workerWaits(const Trace &trace,
                                     const std::vector<CollectiveReport> &collectives);

/// Of `exposed`, in which the worker communicates and nothing hides it: what waits and transfers
/// nothing, by the rank waited for.
std::map<int, std::int64_t> waitsByRank(const WorkerWaits &waits, const IntervalSet &exposed);

} // namespace core
