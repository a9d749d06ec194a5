#include "core/change/plans/dear_plan.h"

#include "core/change/gradients/bucket_layout.h"
#include "core/change/gradients/whole_iterations.h"
#include "core/change/plans/forward_order.h"

#include <algorithm>

namespace core {

namespace {

    /// Gathered behind all that is scattered, as urgent as the tensor that is needed first.
    std::vector<GradientGroup> halvedGroups(const GradientStep &step,
                                            const std::vector<std::int32_t> &places,
                                            std::uint64_t bufferBytes)
    {
        const auto tensors = static_cast<std::int32_t>(places.size());
        std::vector<GradientGroup> groups;
        std::size_t next = 0;
        for (const std::size_t count :
             bucketLayout(step.parameterBytes, bufferBytes, bufferBytes)) {
            GradientGroup &group = groups.emplace_back();
            group.firstTensor = next;
            group.tensorCount = count;
            group.partitionBytes = WholeTensors;
            group.priority = static_cast<std::int32_t>(groups.size() - 1);
            group.isInHalves = true;
            const auto begin = places.begin() + static_cast<std::ptrdiff_t>(next);
            group.gatherPriority
                = tensors + *std::min_element(begin, begin + static_cast<std::ptrdiff_t>(count));
            next += count;
        }
        return groups;
    }

} // namespace

GradientPlan dearPlan(const PlanRequest &request)
{
    const Graph &graph = *request.graph;
    GradientPlan plan;
    plan.isByPriority = true;
    plan.creditBytes = request.limits.creditBytes;
    plan.waitsForOwnTensors = true;
    for (const auto &[iteration, ranks] : stepsOf(graph, wholeIterations(graph)))
        plan.iterations[iteration] = halvedGroups(
            *ranks.front(), forwardOrder(graph, *ranks.front()), request.limits.partitionBytes);
    return plan;
}

} // namespace core
