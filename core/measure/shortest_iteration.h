#pragma once

#include "core/graph/graph.h"
#include "core/measure/iteration_time.h"

#include <cstdint>

namespace core {

/// What no iteration of the graph falls below, however fast its transfers are, in ns: the longest
/// path through it where transfers take no time (as with comm_scale=0), no op waits for its device,
/// and every op takes the shortest time that it takes in any iteration. The same op of another
/// iteration is the one of its name and device that is as many-th there. Of the slowest rank, and
/// of the shortest of its iterations after the warm-up; where kinds of them repeat, the mean of
/// such over a period. One pass over the graph; no replay is needed.
std::int64_t shortestIterationNs(const Graph &graph,
                                 const std::vector<ReplayedIterations> &unchanged);

/// What the link that is busiest needs for the transfers of an iteration, in ns, without their
/// latency as far as it is beside the link's time: of the iteration that has least of it, where
/// kinds of them repeat the mean of such over a period. Transfers that share a link need it for as
/// long together. 0 where nothing is transferred.
std::int64_t busiestLinkNs(const Graph &graph);

} // namespace core
