#pragma once

#include "core/change/change_kind.h"
#include "core/change/transfers/link_changes.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"

#include <memory>

namespace core {

/// The graph with another slowdown of computation beside partitions (Graph::slowdown), where they
/// go over a CPU backend's link. Communication costs as much as it moves bytes a nanosecond (see
/// Interference). Smaller partitions and faster links leave the link idle for longer, so the cost
/// is that of the mean rate of all-reduces, compared with that in `recorded`. `changes`: of the
/// links. Other graphs stay as they are.
Graph withCostOfPartitions(Graph graph, const Graph &recorded, const Trace &trace,
                           const LinkChanges &changes);

/// The change of contention where partitions or links are others: withCostOfPartitions().
std::unique_ptr<const ChangeKind> partitionContention();

} // namespace core
