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

/// The graph with every gradient sent by itself, in slices, instead of in DDP's buckets: each
/// slice is an all-reduce, ready with its gradient; the backend takes them by `schedule` (Fifo or
/// P3). Where it serves one at a time, a slice takes the fitted alpha + beta * bytes; where
/// several, what costOfSlice() says.
/// A parameter is updated when all of it has come (SliceUpdates), and the op of the next iteration
/// that first uses it waits for that. A thread of its own updates; where layers and the network
/// keep the ranks' cores busy, it takes its time from the layers' ops, between which it has its
/// turn. Copies into and out of buckets go, and so does the wait for all buckets. There must
/// be no obstacle: sliceObstacle(), reductionCostObstacle().
///
/// On accelerators the kernels of the gradient and of the forward pass are what slices wait for and
/// what waits for them. Updates are kernels of the same stream, of the optimizer's kernels' time. A
/// thread of its own hands slices over, each in the time of a recorded c10d::allreduce_: with many
/// small ones it, not the link, may be what limits.
///
/// What slices leave over to the next iteration shows from the second one on. Where fewer than
/// three are recorded they are repeated (unrolled()), and only repetitions are counted.
/// Recorded slices are cut anew; see withOtherSlices().
Graph withSlices(const Graph &graph, const Trace &trace, const LinkModels &links, Schedule schedule,
                 const SliceLimits &limits, const JobControl &control);

} // namespace core
