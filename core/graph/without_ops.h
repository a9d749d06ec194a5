#pragma once

#include "core/graph/graph.h"

#include <vector>

namespace core {

/// The graph without `removed` and their edges, in any order; the other ops keep their order.
/// Nothing but edges and possibleWaits may name the removed ops. The same as
/// GraphBuilder::removeOp() gives, column by column in place: it takes no second graph.
Graph withoutOps(Graph graph, const std::vector<OpId> &removed);

} // namespace core
