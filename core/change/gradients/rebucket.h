#pragma once

#include "core/base/job_control.h"
#include "core/change/gradients/gradient_rewriter.h"
#include "core/fit/links/link_models.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace core {

class BucketBase;

struct BucketLimits
{
    std::uint64_t firstBytes = 0;
    std::uint64_t capBytes = 0;
};

/// Why the buckets of this graph cannot be laid out anew; empty if they can.
std::optional<std::string> rebucketObstacle(const Graph &graph);

/// Whether DDP's buckets are reduced on accelerators.
bool reducesOnAccelerators(const Graph &graph);

/// The graph with gradients reduced in the buckets of a plan; as it is where these are as measured.
/// There must be no obstacle: rebucketObstacle(), reductionCostObstacle(). `built`: the graph with
/// the plan, which is moved from; null: it is not there yet.
Graph withBuckets(const PlannedJob &job, Graph *built = nullptr);

/// The graph with DDP's gradient buckets laid out anew. The backward pass hands a bucket over when
/// its last gradient is ready, and its first copy-out waits for it. On accelerators the kernels of
/// the gradient and of the copy wait, and the host goes on. Every transfer takes the fitted alpha +
/// beta * bytes. The graph stays as it is where the layout is as measured.
/// Iterations in which a rank does not show the whole reduction stay as measured; see
/// Graph::keptIterations. A recording may lack some of it, and it ends before accelerators have
/// worked off all that was launched.
/// There must be no obstacle: rebucketObstacle(), reductionCostObstacle(). `base`: of the graph,
/// where it was made before.
Graph rebucket(const Graph &graph, const Trace &trace, const LinkModels &links,
               const BucketLimits &limits, const JobControl &control,
               const BucketBase *base = nullptr);

/// The same with so many consecutive tensors in each bucket, in the order in which gradients become
/// ready. They add up to all of them.
Graph regroup(const Graph &graph, const Trace &trace, const LinkModels &links,
              const std::vector<std::size_t> &counts, const JobControl &control,
              const BucketBase *base = nullptr);

} // namespace core
