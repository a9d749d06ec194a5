#pragma once

#include "core/change/gradients/gradient_plan.h"
#include "core/change/plans/plan_request.h"
#include "core/graph/graph.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
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

/// The groups that Horovod's background thread reduces together. Once a cycle it looks for tensors
/// that are ready on all ranks and fuses them up to the threshold; a larger tensor goes alone. It
/// reduces one fusion buffer after the other (`costNs` of its bytes), and then looks again when the
/// cycle is over. The first tensor is taken to come half a cycle before a look, as that is not
/// known.
std::vector<GradientGroup> fusedGroups(const std::vector<ReadyTensor> &tensors,
                                       const FusionLimits &limits,
                                       const std::function<double(std::uint64_t)> &costNs);

/// Why gradients cannot be fused so; empty if they can.
std::optional<std::string> fusionObstacle(const Graph &graph);

/// The graph with gradients fused as Horovod does it instead of in DDP's buckets. The groups depend
/// on when gradients are ready and on how long reductions take: a replay with the other changes
/// tells both. Other groups may move both, so replays of the fused graph plan again, three times at
/// most. There must be no obstacle: fusionObstacle(), reductionCostObstacle().
std::shared_ptr<const Graph> withHorovodFusion(const PlanRequest &request,
                                               const FusionLimits &limits);

} // namespace core
