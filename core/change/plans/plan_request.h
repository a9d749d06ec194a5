#pragma once

#include "core/base/job_control.h"
#include "core/change/gradients/partition_cost.h"
#include "core/fit/links/link_models.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

namespace core {

/// The other changes of a what-if; empty: none. Its functions keep the ids of ops.
struct OtherChanges
{
    using Rewrite = std::function<std::shared_ptr<const Graph>(std::shared_ptr<const Graph>)>;
    Rewrite ofOwnWork = {}; ///< of ranks
    Rewrite ofTransfers = {};

    std::shared_ptr<const Graph> transfersOf(std::shared_ptr<const Graph> graph) const
    {
        return ofTransfers ? ofTransfers(std::move(graph)) : graph;
    }
    std::shared_ptr<const Graph> of(std::shared_ptr<const Graph> graph) const
    {
        return transfersOf(ofOwnWork ? ofOwnWork(std::move(graph)) : std::move(graph));
    }
};

class BucketBase;

/// The job whose gradients a plan is made for, and what plans may depend on. There is no
/// partitioningObstacle(). Refers to its arguments.
struct PlanRequest
{
    std::shared_ptr<const Graph> graph; ///< with gradient steps; the ids of the plan are its
    const Trace &trace;
    const LinkModels &links;
    PartitionLimits limits;
    std::uint64_t seed; ///< of an order by chance
    const OtherChanges &changes;
    const JobControl &control;
    /// Bases of the graph, where they were made before; see Models.
    const BucketBase *bucketBase = nullptr, *tensorBase = nullptr;
};

} // namespace core
