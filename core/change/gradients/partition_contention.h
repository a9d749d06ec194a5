#pragma once

#include "core/change/change_kind.h"
#include "core/change/transfers/link_changes.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"

#include <memory>

namespace core {

/// Of a graph that sends gradients in slices over a CPU backend's link: how much computation is
/// slowed down beside them (Graph::slowdown). What communication costs goes with the bytes that it
/// moves a nanosecond (see Interference), and while a slice is under way its link is idle for a
/// part of the time, the larger a part the smaller slices are and the faster the link is: the cost
/// is that of the mean rate of the slices, where the cost in `recorded` is that of what was under
/// way there. `changes`: of the links; other graphs stay as they are.
Graph withCostOfSlices(Graph graph, const Graph &recorded, const Trace &trace,
                       const LinkChanges &changes);

/// What sending gradients in other partitions, or over other links, leads to: withCostOfSlices().
std::unique_ptr<const ChangeKind> partitionContention();

} // namespace core
