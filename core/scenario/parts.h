#pragma once

#include "core/graph/graph.h"
#include "core/replay/replay.h"
#include "core/scenario/scenario.h"

namespace core {

/// The length of the iteration that the parts divide: of compute, exposed communication, copies
/// alone and idle; overlap is a part of compute.
std::int64_t wholeNs(const PartTimes &parts);

/// How many ranks have any activity in their iterations: those that means are over.
std::size_t ranksWithActivity(const Graph &graph);

/// How one iteration divides on average over the ranks that have any activity and their
/// iterations, as the graph's ops were measured.
PartTimes measuredParts(const Graph &graph);

/// The same as replayed, without the iterations that are not like the others
/// (ReplayedIterations::counts()): what the prediction speaks of.
PartTimes replayedParts(const Graph &graph, const ReplayResult &result,
                        const std::vector<ReplayedIterations> &iterations);

} // namespace core
