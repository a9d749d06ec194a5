#pragma once

#include "core/analyze/diagnosis.h"
#include "core/base/interval_set.h"
#include "core/measure/device_activity.h"
#include "core/model/trace.h"

#include <map>
#include <vector>

namespace core {

/// A time in which a worker's communication waits for another one.
struct WaitSegment
{
    TimeRange range; ///< in the waiting worker's raw clock
    WorkerId awaited; ///< of several waited for at once, the one that comes last
};

/// Of one worker; disjoint, by time.
using WaitSegments = std::vector<WaitSegment>;

/// By WorkerId.
std::vector<WaitSegments> waitSegments(const Trace &trace, const SliceTransfers &transfers);

/// By WorkerId: of waiting in collectives of compared iterations, the time in which one worker is
/// the only one missing.
std::vector<WaitSegments> aloneSegments(const Trace &trace,
                                        const std::vector<CollectiveReport> &collectives);

/// How long the worker waits for each other one within `waiting`.
std::map<WorkerId, std::int64_t> waitsByWorker(const WaitSegments &segments,
                                               const IntervalSet &waiting);

} // namespace core
