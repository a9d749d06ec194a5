#include "core/change/gradients/partition_schedule.h"

#include "core/change/gradients/gradient_rewriter.h"
#include "core/change/gradients/rebucket.h"
#include "core/change/gradients/repartition.h"
#include "core/change/gradients/whole_iterations.h"
#include "core/change/unroll.h"
#include "core/graph/build_graph.h"

#include <algorithm>
#include <cmath>
#include <numeric>

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

    /// By index: its place when sorted by the keys.
    std::vector<std::int32_t> placesOf(const std::vector<std::int64_t> &keys)
    {
        std::vector<std::size_t> order(keys.size());
        std::iota(order.begin(), order.end(), std::size_t { 0 });
        std::stable_sort(order.begin(), order.end(),
                         [&keys](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
        std::vector<std::int32_t> places(keys.size());
        for (std::size_t i = 0; i < order.size(); ++i)
            places[order[i]] = static_cast<std::int32_t>(i);
        return places;
    }

    /// By parameter: its place in the forward pass; where that is not known for all, in the reverse
    /// order of readiness.
    std::vector<std::int32_t> forwardOrder(const Graph &graph, const GradientStep &step)
    {
        std::vector<std::int64_t> keys;
        const bool isForwardKnown
            = std::all_of(step.forwards.begin(), step.forwards.end(), isKnown);
        for (std::size_t p = 0; p < step.parameterBytes.size(); ++p)
            keys.push_back(isForwardKnown ? graph.measuredStartNs[step.forwards[p].value]
                                          : -static_cast<std::int64_t>(p));
        return placesOf(keys);
    }

    /// Every gradient by itself, in partitions.
    GradientPlan partitionPlan(const Graph &graph, Schedule schedule, const PartitionLimits &limits)
    {
        GradientPlan plan;
        plan.isByPriority = schedule == Schedule::P3;
        plan.creditBytes = limits.creditBytes;
        plan.waitsForOwnTensors = true;
        for (const auto &[iteration, ranks] : stepsOf(graph, wholeIterations(graph))) {
            const std::vector<std::int32_t> priorities = forwardOrder(graph, *ranks.front());
            for (std::size_t p = 0; p < priorities.size(); ++p)
                plan.iterations[iteration].push_back(
                    { p, 1, limits.partitionBytes, plan.isByPriority ? priorities[p] : 0 });
        }
        return plan;
    }

    Graph partitioned(const Graph &graph, const Trace &trace, const LinkModels &links,
                      const GradientPlan &plan, const JobControl &control)
    {
        Graph sent = withGradientPlan({ graph, trace, links, plan, control });
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

Graph withPartitions(const Graph &graph, const Trace &trace, const LinkModels &links,
                     Schedule schedule, const PartitionLimits &limits, const JobControl &control)
{
    if (isSentInPartitions(graph))
        return withOtherPartitions(graph, trace, links, schedule, limits, control);
    const std::int32_t times = timesToSteadyState(graph);
    checkOpsOfPartitions(
        [&](std::uint64_t bytes) {
            throwIfCancelled(control);
            return times * opsOfPartitions(graph, bytes);
        },
        limits);
    if (times == 1)
        return partitioned(graph, trace, links, partitionPlan(graph, schedule, limits), control);
    const Graph longer = unrolled(graph, times, control);
    Graph repeated
        = partitioned(longer, trace, links, partitionPlan(longer, schedule, limits), control);
    leaveOutFirst(graph.iterationCount, repeated);
    return repeated;
}

} // namespace core
