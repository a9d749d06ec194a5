#pragma once

#include "core/graph/graph.h"
#include "core/measure/part_times.h"
#include "core/measure/replayed_iterations.h"
#include "core/measure/worker_activity.h"
#include "core/model/trace.h"
#include "core/replay/replay.h"

#include <vector>

namespace core {

/// The length of the iteration that the parts divide: of compute, exposed communication, copies
/// alone and idle; overlap is a part of compute, the waiting one of exposed communication.
std::int64_t wholeNs(const PartTimes &parts);

/// A row of the table that divides an iteration.
enum class PartRow {
    Compute,
    ExposedTransfer, ///< with Waiting in place of Exposed, where waiting is known
    Waiting, ///< for other ranks
    Exposed, ///< communication, waiting included
    Copies, ///< where there are any
    Idle,
    Sum,
    Overlap ///< a part of compute
};

struct PartTime
{
    PartRow row;
    std::int64_t measuredNs, predictedNs;
};

/// The rows that tell how a prediction divides, in their order.
std::vector<PartTime> partRows(const PartTimes &measured, const PartTimes &predicted);

/// Parameter servers that are ranks: what computes nothing and exchanges messages only, in a job in
/// which others compute. Means are not over them.
std::vector<WorkerId> serverWorkers(const Graph &graph);

/// How many ranks means are over: those that have any activity in their iterations and are no
/// servers.
std::size_t ranksInMean(const Graph &graph);

/// How one iteration divides on average over these ranks and their compared iterations, as
/// measured: `activities` are workerActivities() of the trace, `graph` is that of it.
PartTimes measuredParts(const std::vector<WorkerActivity> &activities, const Graph &graph);

/// The same of each compared iteration: [iterations], the mean over these ranks.
std::vector<PartTimes> measuredIterationParts(const std::vector<WorkerActivity> &activities,
                                              const Graph &graph);

/// The same as replayed, without the iterations that are not like the others
/// (ReplayedIterations::counts()): what the prediction speaks of.
PartTimes replayedParts(const Graph &graph, const ReplayResult &result,
                        const std::vector<ReplayedIterations> &iterations);

} // namespace core
