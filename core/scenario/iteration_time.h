#pragma once

#include "core/graph/graph.h"
#include "core/model/trace.h"
#include "core/replay/replay.h"

#include <cstdint>
#include <vector>

namespace core {

/// Durations of a worker's iterations as recorded, in ns.
std::vector<std::int64_t> measuredIterations(const Trace &trace, WorkerId worker);

/// Periods of a worker's replayed iterations in ns: from one iteration's end to the next one's, the
/// first from its begin.
std::vector<std::int64_t> replayedIterations(const Graph &graph, const ReplayResult &result,
                                             WorkerId worker);

/// The slowest rank's median replayed iteration, in ns.
std::int64_t slowestRankNs(const Graph &graph, const ReplayResult &result);

/// Median; 0 for none.
std::int64_t medianNs(std::vector<std::int64_t> values);

} // namespace core
