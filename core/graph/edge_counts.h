#pragma once

#include "core/graph/graph.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace core {

/// How many edges of a graph come from what: by kind, in the order of EdgeKind, without kinds that
/// it has none of.
using EdgeCounts = std::vector<std::pair<EdgeKind, std::size_t>>;

EdgeCounts edgeCounts(const Graph &graph);

/// "1200 dependencies: 400 launch, 790 stream order, 10 inferred (0.8 %)".
std::string edgeCountsText(const EdgeCounts &counts);

} // namespace core
