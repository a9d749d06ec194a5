#pragma once

#include "core/change/gradients/gradient_plan.h"
#include "core/change/plans/plan_request.h"
#include "core/graph/graph.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace core {

/// Place of each tensor in the forward pass, from 0; where that is not known for all, in the
/// reverse order of readiness.
std::vector<std::int32_t> forwardOrder(const Graph &graph, const GradientStep &step);

/// Every gradient by itself, in partitions of the request's limits and as urgent as `prioritiesOf`
/// says of a rank's step. Layers wait for their own tensors.
GradientPlan
tensorsAlone(const PlanRequest &request,
             const std::function<std::vector<std::int32_t>(const GradientStep &)> &prioritiesOf);

/// Plan by priority, in the order in which the next forward pass needs them: P3 (Jayarajan et al.,
/// MLSys 2019, section 4) and, within a credit, ByteScheduler (Peng et al., SOSP 2019, section 4).
GradientPlan forwardPlan(const PlanRequest &request);

/// In the order of readiness.
GradientPlan readinessPlan(const PlanRequest &request);

/// In an order by chance, the same in each iteration: all orders are as likely.
GradientPlan randomPlan(const PlanRequest &request);

/// The places 0 to `count` - 1 in an order by chance. Uses no std::shuffle(), whose order each
/// library chooses.
std::vector<std::int32_t> shuffledPlaces(std::size_t count, std::uint64_t seed);

} // namespace core
