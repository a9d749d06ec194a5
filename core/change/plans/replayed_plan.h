#pragma once

#include "core/change/gradients/gradient_plan.h"
#include "core/change/plans/plan_request.h"
#include "core/replay/replay.h"

#include <functional>
#include <memory>
#include <string>

namespace core {

/// A plan, and the graph with it.
struct PlannedGraph
{
    GradientPlan plan;
    std::shared_ptr<const Graph> graph;
};

/// Plans by when gradients are ready: by a replay of the job with the request's other changes.
/// Other groups may move that, so replays of the planned graph plan again, three times at most.
/// Every plan has groups of consecutive tensors. `note` is one of the graph. Throws Cancelled.
PlannedGraph
replayedPlan(const PlanRequest &request,
             const std::function<GradientPlan(const Graph &, const ReplayResult &)> &planBy,
             const std::string &note);

} // namespace core
