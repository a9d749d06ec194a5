#pragma once

#include "core/graph/graph.h"
#include "core/scenario/iteration_time.h"

#include <cstdint>

namespace core {

/// What no iteration of the graph falls below, however fast its transfers are, in ns: the longest
/// path through it where transfers take no time (as with comm_scale=0), no op waits for its device,
/// and every op takes the shortest time that it takes in any iteration. The same op of another
/// iteration is the one of its name and device that is as many-th there. Of the slowest rank, and
/// of the shortest of its iterations after the warm-up. One pass over the graph; no replay is
/// needed.
std::int64_t shortestIterationNs(const Graph &graph, const DeviceLag &lag);

} // namespace core
