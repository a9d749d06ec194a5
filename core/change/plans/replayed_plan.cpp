#include "core/change/plans/replayed_plan.h"

#include "core/change/gradients/gradient_rewriter.h"

#include <algorithm>
#include <utility>

namespace core {

namespace {

    constexpr int MostPlannings = 3;

    /// Whether the same gradients are reduced together, after whatever waits.
    bool haveSameGroups(const GradientPlan &a, const GradientPlan &b)
    {
        const auto isSame = [](const GradientGroup &one, const GradientGroup &other) {
            return one.tensorCount == other.tensorCount;
        };
        return std::equal(a.iterations.begin(), a.iterations.end(), b.iterations.begin(),
                          b.iterations.end(), [&](const auto &one, const auto &other) {
                              return std::equal(one.second.begin(), one.second.end(),
                                                other.second.begin(), other.second.end(), isSame);
                          });
    }

} // namespace

PlannedGraph
replayedPlan(const PlanRequest &request,
             const std::function<GradientPlan(const Graph &, const ReplayResult &)> &planBy)
{
    const auto planOn = [&](const std::shared_ptr<const Graph> &graph) {
        const std::shared_ptr<const Graph> changed = request.changes.of(graph);
        return planBy(*changed, replay(*changed, request.control));
    };
    PlannedGraph planned { planOn(request.graph) };
    for (int round = 1;; ++round) {
        planned.graph = std::make_shared<Graph>(withGradientPlan(
            { *request.graph, request.trace, request.links, planned.plan, request.control,
              planned.plan.waitsForOwnTensors ? request.tensorBase : request.bucketBase }));
        if (round == MostPlannings)
            return planned;
        GradientPlan next = planOn(planned.graph);
        if (haveSameGroups(planned.plan, next))
            return planned;
        planned.plan = std::move(next);
    }
}

} // namespace core
