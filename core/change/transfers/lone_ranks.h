#pragma once

#include "core/change/change_kind.h"
#include "core/graph/graph.h"

#include <memory>

namespace core {

/// The graph as if each rank were alone (world_size=1): what a rank hands over is done at once, so
/// it neither waits for others nor transfers anything. No collectives are left.
Graph withLoneRanks(const Graph &graph);

/// What world_size=1 leads to: withLoneRanks().
std::unique_ptr<const ChangeKind> loneRanksChange();

} // namespace core
