#pragma once

#include "core/change/gradients/gradient_plan.h"
#include "core/change/plans/plan_request.h"
#include "core/replay/replay.h"

#include <functional>
#include <memory>

namespace core {

/// A plan, and the graph with it where that was built.
struct PlannedGraph
{
    GradientPlan plan;
    std::shared_ptr<Graph> graph = nullptr;
};

/// Plans by when gradients are ready: by a replay of the job with the request's other changes.
/// Other groups may move that, so replays of the planned graph plan again, three times at most.
/// Every plan has groups of consecutive tensors. The graph is built. Throws Cancelled.
PlannedGraph
replayedPlan(const PlanRequest &request,
             const std::function<GradientPlan(const Graph &, const ReplayResult &)> &planBy);

} // namespace core
