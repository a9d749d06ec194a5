#pragma once

#include "core/graph/graph.h"
#include "core/model/trace.h"
#include "core/replay/replay.h"
#include "core/scenario/scenario.h"

#include <cstdint>
#include <vector>

namespace core {

/// Durations of a worker's iterations as recorded, in ns.
std::vector<std::int64_t> measuredIterations(const Trace &trace, WorkerId worker);

/// [workers], ns, 0 or more: how much longer than the host's the iterations of a worker's
/// accelerators take in the replay of the unchanged graph. A recording may end while they still
/// work off what the host has launched; a measured iteration, which the host marks, does not have
/// that time.
using DeviceLag = std::vector<std::int64_t>;
DeviceLag deviceLag(const Graph &base, const ReplayResult &selfReplay);

/// The replayed iterations of every worker, by WorkerId. They end where the host ends them, but a
/// host that does not wait for its accelerators cannot go on leaving them behind: where these need
/// more than `lag` beyond the host's time, the iterations are theirs, from one's last device op to
/// the next one's.
std::vector<ReplayedIterations> replayedIterations(const Graph &graph, const ReplayResult &result,
                                                   const DeviceLag &lag);

/// The slowest rank's typical replayed iteration, in ns.
std::int64_t slowestRankNs(const Graph &graph, const ReplayResult &result, const DeviceLag &lag);

} // namespace core
