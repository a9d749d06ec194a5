#include "core/change/gradients/partition_schedule.h"

#include "core/change/gradients/gradient_rewriter.h"
#include "core/change/gradients/rebucket.h"
#include "core/change/gradients/repartition.h"
#include "core/change/gradients/whole_iterations.h"
#include "core/change/plans/plan_list.h"
#include "core/change/unroll.h"
#include "core/graph/build_graph.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

namespace core {

namespace {

    bool isKnown(OpId op)
    {
        return op != NoOp;
    }

    /// The arrival, the transfer and each rank's ready op of every partition; each rank's update of
    /// a parameter.
    double opsOfPartitions(const Graph &graph, std::uint64_t partitionBytes)
    {
        const double opsOfOne
            = 1 + 2 / static_cast<double>(std::max<std::size_t>(1, graph.workerCount()));
        double ops = 0;
        for (const GradientStep &step : graph.gradientSteps)
            for (const std::uint64_t bytes : step.parameterBytes) {
                const double partitions
                    = std::ceil(static_cast<double>(bytes) / static_cast<double>(partitionBytes));
                ops += 1 + std::max(1.0, partitions) * opsOfOne;
            }
        return ops;
    }

    /// The recorded iterations of an unrolled graph, which lead to the steady state of the others.
    void leaveOutFirst(std::int32_t recorded, Graph &unrolled)
    {
        for (std::int32_t i = 0; i < recorded; ++i)
            unrolled.keptIterations.push_back(i);
        const bool isOne = recorded == 1;
        unrolled.notes.insert(
            unrolled.notes.begin(),
            (isOne ? "One iteration is recorded, too few" : "Two iterations are recorded, too few")
                + std::string(" to show what one leaves over to the next: ")
                + (isOne ? "it is" : "they are") + " replayed "
                + std::to_string(unrolled.iterationCount / recorded)
                + " times in a row, and the predicted time is that of the last "
                + std::to_string(unrolled.iterationCount - recorded) + ".");
    }

    Graph partitioned(const PlanRequest &request, Schedule schedule)
    {
        const Graph &graph = *request.graph;
        const GradientPlan plan = planOf(schedule, request).plan;
        Graph sent = withGradientPlan(
            { graph, request.trace, request.links, plan, request.control, request.tensorBase });
        sent.notes.emplace_back(
            reducesOnAccelerators(graph)
                ? "A thread of its own is assumed to hand over partitions, each as fast as the "
                  "recorded all-reduces. Kernels are assumed to be as fast beside partitions as "
                  "beside buckets."
                : "A recording of buckets does not show the cost of handing over a partition, nor "
                  "its wait for other ranks. Both are estimated from the buckets.");
        return sent;
    }

} // namespace

std::optional<std::string> partitioningObstacle(const Graph &graph)
{
    if (isSentInPartitions(graph))
        return {};
    if (auto obstacle = rebucketObstacle(graph))
        return obstacle;
    const bool isTied = std::all_of(
        graph.gradientSteps.begin(), graph.gradientSteps.end(), [](const GradientStep &step) {
            return std::any_of(step.forwards.begin(), step.forwards.end(), isKnown);
        });
    if (!areIterationsKnown(graph))
        return "nothing in the recording tells iterations apart, so what one leaves over to the "
               "next is not known. Record whole steps and mark them (torch.profiler's schedule "
               "and prof.step()).";
    if (!isTied)
        return "nothing ties gradients to the ops of the forward pass that use their parameters. "
               "Record with a PyTorch that writes autograd's sequence numbers (1.8 or newer).";
    if (const WholeIterations iterations = wholeIterations(graph);
        iterations.whole.size() < static_cast<std::size_t>(graph.iterationCount)
        && !iterations.hasTwoInARow())
        return "no two iterations that follow each other show PyTorch DDP's reduction on every "
               "rank, so what one leaves over to the next is not known.";
    return {};
}

Graph withSchedule(const PlanRequest &request, Schedule schedule)
{
    const Graph &graph = *request.graph;
    if (!traitsOf(schedule).isByTensor) {
        PlannedGraph planned = planOf(schedule, request);
        return withBuckets({ graph, request.trace, request.links, planned.plan, request.control,
                             request.bucketBase },
                           planned.graph.get());
    }
    if (isSentInPartitions(graph))
        return withOtherPartitions(request, schedule);
    const std::int32_t times = timesToSteadyState(graph);
    if (!traitsOf(schedule).joinsTensors)
        checkOpsOfPartitions(
            [&](std::uint64_t bytes) {
                throwIfCancelled(request.control);
                return times * opsOfPartitions(graph, bytes);
            },
            request.limits);
    if (times == 1)
        return partitioned(request, schedule);
    PlanRequest longer = request;
    longer.graph = std::make_shared<const Graph>(unrolled(graph, times, request.control));
    Graph repeated = partitioned(longer, schedule);
    leaveOutFirst(graph.iterationCount, repeated);
    return repeated;
}

Graph withPartitions(const Graph &graph, const Trace &trace, const LinkModels &links,
                     Schedule schedule, const PartitionLimits &limits, const JobControl &control)
{
    const std::shared_ptr<const Graph> notOwned(std::shared_ptr<const Graph>(), &graph);
    return withSchedule({ notOwned, trace, links, limits, 0, {}, control }, schedule);
}

} // namespace core
