#pragma once

#include "core/graph/graph.h"
#include "core/model/trace.h"
#include "core/replay/replay.h"
#include "core/scenario/scenario.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace core {

/// [workers], ns: the median of a worker's recorded iterations, of those that are replayed
/// (comparedIterations()), so that it can be compared with the replay; absent if it has none.
using MeasuredIterations = std::vector<std::optional<std::int64_t>>;
MeasuredIterations measuredIterations(const Trace &trace);

/// The slowest rank's, in ns; 0 if none has any.
std::int64_t slowestMeasuredNs(const MeasuredIterations &measured);

/// How far a worker's accelerators are behind its host in the replay of the unchanged graph, in ns.
struct WorkerLag
{
    /// 0 or more: how much longer than the host's their iterations take. A recording may end while
    /// they still work off what the host has launched; a measured iteration, which the host marks,
    /// does not have that time.
    std::int64_t typicalNs = 0;
    /// 0 or more: at most that long after the host has ended an iteration they end it.
    std::int64_t mostLeftNs = 0;
};

using DeviceLag = std::vector<WorkerLag>; ///< [workers]
DeviceLag deviceLag(const Graph &base, const ReplayResult &selfReplay);

/// The replayed iterations of every worker, by WorkerId. They end where the host ends them, but a
/// host that does not wait for its accelerators cannot go on leaving them behind: where these need
/// more than `lag` beyond the host's time, the iterations are theirs, from one's last device op to
/// the next one's. Where they are the host's and it leaves more to the accelerators than it ever
/// did as recorded, the first iteration is a warm-up: nothing was left to it, and what it leaves
/// counts in the next one.
std::vector<ReplayedIterations> replayedIterations(const Graph &graph, const ReplayResult &result,
                                                   const DeviceLag &lag);

/// The slowest rank's typical iteration, in ns; 0 of none.
std::int64_t slowestTypicalNs(const std::vector<ReplayedIterations> &iterations);

/// The same of a replay.
std::int64_t slowestRankNs(const Graph &graph, const ReplayResult &result, const DeviceLag &lag);

} // namespace core
