#pragma once

#include "core/base/job_control.h"
#include "core/change/gradients/partition_cost.h"
#include "core/change/gradients/schedule.h"
#include "core/fit/links/link_models.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"

#include <optional>
#include <string>

namespace core {

/// Why gradients of this graph cannot be sent in slices; empty if they can.
std::optional<std::string> sliceObstacle(const Graph &graph);

/// The graph with every gradient sent by itself, in slices, by `schedule` (Fifo or P3). There must
/// be no obstacle: sliceObstacle(), reductionCostObstacle().
/// - Instead of DDP's buckets: each slice is an all-reduce, ready with its gradient. It takes the
///   fitted alpha + beta * bytes where the link serves one at a time, else costOfSlice(). Copies
///   into and out of buckets go, and so does the wait for all buckets. A parameter is updated when
///   all of it has come (TensorUpdates); the next iteration's first use of it waits for that.
/// - On accelerators, slices wait for the gradient's kernel, and updates are kernels of that
///   stream. A thread of its own hands slices over, each in the time of a recorded call
///   (c10d::allreduce_): with many small slices this thread, not the link, may be the limit.
/// - Slices that are left over to the next iteration show from the second one on. Fewer than three
///   recorded iterations are repeated (unrolled()), and only the repetitions are counted.
/// - Recorded slices are cut anew; see withOtherSlices().
Graph withSlices(const Graph &graph, const Trace &trace, const LinkModels &links, Schedule schedule,
                 const SliceLimits &limits, const JobControl &control);

} // namespace core
