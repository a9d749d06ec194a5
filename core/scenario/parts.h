#pragma once

#include "core/graph/graph.h"
#include "core/replay/replay.h"
#include "core/scenario/scenario.h"

namespace core {

/// How one iteration divides on average over ranks and iterations, as the graph's ops were
/// measured.
PartTimes measuredParts(const Graph &graph);

/// The same as replayed.
PartTimes replayedParts(const Graph &graph, const ReplayResult &result,
                        const std::vector<ReplayedIterations> &iterations);

/// E of TicTac §3.2: (U - m) / (U - L) with U all durations in series, L the busiest device's load
/// and m the makespan, over the whole replay; 1 is perfect. 1 where nothing could overlap (U = L).
double schedulingEfficiency(const Graph &graph, const ReplayResult &result);

} // namespace core
