#pragma once

#include "core/change/settings.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"

namespace core {

/// Of a graph that sends gradients in slices over a CPU backend's link: how much computation is
/// slowed down beside them (Graph::slowdown). What communication costs goes with the bytes that it
/// moves a nanosecond (see Interference), and while a slice is under way its link is idle for a
/// part of the time, the larger a part the smaller slices are and the faster the link is: the cost
/// is that of the mean rate of the slices, where the cost in `recorded` is that of what was under
/// way there. `settings`: as the slices are sent; other graphs stay as they are.
Graph withCostOfSlices(Graph graph, const Graph &recorded, const Trace &trace,
                       const ScenarioSettings &settings);

} // namespace core
