#pragma once

#include "core/base/job_control.h"
#include "core/change/gradients/reduction_groups.h"
#include "core/fit/links/link_models.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace core {

/// Horovod's tensor fusion; the defaults are those of Horovod 0.28 (HOROVOD_FUSION_THRESHOLD and
/// HOROVOD_CYCLE_TIME in its documentation).
struct FusionLimits
{
    std::uint64_t thresholdBytes = 128 * 1024 * 1024; ///< of the fusion buffer
    std::int64_t cycleNs = 1'000'000;
};

/// A gradient in the order of readiness.
struct ReadyTensor
{
    std::int64_t readyNs = 0; ///< on all ranks
    std::uint64_t bytes = 0; ///< that are sent: Horovod compresses before it fuses
};

/// Which tensors Horovod's background thread reduces together. It looks once a cycle for what is
/// ready on all ranks, fuses that up to the threshold (a larger tensor goes alone), reduces one
/// fusion buffer after the other (`costNs` of its bytes), and looks again when a cycle is over and
/// it has done so. Where in a cycle the first tensor comes is not known: half a cycle is taken.
std::vector<ReductionGroup> fusedGroups(const std::vector<ReadyTensor> &tensors,
                                        const FusionLimits &limits,
                                        const std::function<double(std::uint64_t)> &costNs);

/// Why gradients cannot be fused so; empty if they can.
std::optional<std::string> fusionObstacle(const Graph &graph);

/// What else a what-if changes. Its functions keep the ids of ops.
struct OtherChanges
{
    std::function<std::shared_ptr<const Graph>(std::shared_ptr<const Graph>)>
        ofOwnWork; ///< of ranks
    std::function<std::shared_ptr<const Graph>(std::shared_ptr<const Graph>)> ofTransfers;

    std::shared_ptr<const Graph> of(std::shared_ptr<const Graph> graph) const
    {
        return ofTransfers(ofOwnWork(std::move(graph)));
    }
};

/// The graph with gradients fused as Horovod does it instead of in DDP's buckets. Which are fused
/// depends on when each is ready and on how long the reductions before it take: both are those of
/// a replay with the other changes. As other groups may move both, they are found again in a replay
/// of the fused graph, three times at most. There must be no obstacle:
/// fusionObstacle(), reductionCostObstacle().
std::shared_ptr<const Graph> withHorovodFusion(const std::shared_ptr<const Graph> &graph,
                                               const Trace &trace, const LinkModels &links,
                                               const FusionLimits &limits,
                                               const OtherChanges &changes,
                                               const JobControl &control);

} // namespace core
