#pragma once

#include "core/graph/graph.h"

namespace core {

/// The graph as if each rank were alone (world_size=1): what a rank hands over is done at once, so
/// it neither waits for others nor transfers anything. No collectives are left.
Graph withLoneRanks(const Graph &graph);

} // namespace core
