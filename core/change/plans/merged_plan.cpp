#include "core/change/plans/merged_plan.h"

#include "core/change/gradients/whole_iterations.h"
#include "core/change/plans/layer_times.h"
#include "core/change/plans/reduction_line.h"
#include "core/change/schedules/bucket_chain.h"

namespace core {

PlannedGraph mergedPlan(const PlanRequest &request)
{
    const ReductionLine line = reductionLine(request);
    const WholeIterations iterations = wholeIterations(*request.graph);
    const auto planBy = [&](const Graph &graph, const ReplayResult &replayed) {
        const StepsByIteration steps = stepsOf(graph, iterations);
        const std::vector<std::uint64_t> &bytes = steps.begin()->second.front()->parameterBytes;
        BucketChain chain { readyTimes(steps, replayed),
                            std::vector<double>(bytes.begin(), bytes.end()), line.latencyNs,
                            line.nsPerByte };
        std::vector<GradientGroup> groups;
        std::size_t next = 0;
        for (const std::size_t count : mergedCuts(chain)) {
            groups.push_back({ next, count });
            next += count;
        }
        GradientPlan plan;
        for (const auto &[iteration, ranks] : steps)
            plan.iterations[iteration] = groups;
        return plan;
    };
    return replayedPlan(request, planBy);
}

} // namespace core
