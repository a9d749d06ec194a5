#pragma once

#include "core/base/job_control.h"
#include "core/change/gradients/partition_cost.h"
#include "core/change/gradients/schedule.h"
#include "core/change/plans/plan_request.h"
#include "core/fit/links/link_models.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"

#include <optional>
#include <string>

namespace core {

/// Why gradients of this graph cannot be sent in partitions; empty if they can.
std::optional<std::string> partitioningObstacle(const Graph &graph);

/// The graph with gradients sent by `schedule`, other than Wfbp: in buckets (withBuckets()), or
/// each by itself, in partitions or whole. There must be no obstacle: partitioningObstacle(),
/// reductionCostObstacle().
/// - Each partition is an all-reduce, ready with its gradient. It takes the fitted alpha + beta *
///   bytes where the link serves one at a time, else costOfPartition().
/// - Buckets end, with the copies into and out of them, and the wait for all of them. A parameter
///   is updated when all of it has come (TensorUpdates). The next iteration's first use waits.
/// - On accelerators, partitions wait for the gradient's kernel, and updates are kernels of that
///   stream. A thread of its own hands partitions over, each in the time of a recorded call
///   (c10d::allreduce_). With many small partitions this thread, not the link, may be the limit.
/// - Partitions that are left over show from the second iteration on. Fewer than three recorded
///   iterations are repeated (unrolled()), and only the repetitions are counted.
/// - Recorded partitions are cut anew; see withOtherPartitions().
Graph withSchedule(const PlanRequest &request, Schedule schedule);

/// The same without other changes.
Graph withPartitions(const Graph &graph, const Trace &trace, const LinkModels &links,
                     Schedule schedule, const PartitionLimits &limits, const JobControl &control);

} // namespace core
