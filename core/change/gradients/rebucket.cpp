#include "core/change/gradients/rebucket.h"

#include "core/change/gradients/bucket_layout.h"
#include "core/change/gradients/gradient_rewriter.h"
#include "core/change/gradients/repartition.h"
#include "core/change/gradients/schedule.h"
#include "core/change/gradients/whole_iterations.h"
#include "core/change/transfers/transfers.h"
#include "core/measure/framework.h"
#include "core/model/gradient_names.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace core {

namespace {

    constexpr std::string_view DdpForward = "DistributedDataParallel.forward";

    /// A backward pass copies its gradients out of the buckets when the last one is ready: one that
    /// is ready later is of another pass. On accelerators such steps are left out already.
    bool isOfSeveralModels(const Graph &graph, const GradientStep &step)
    {
        return step.kernels.empty() && !step.copies.empty()
            && graph.measuredStartNs[step.gradients.back().value]
            > graph.measuredStartNs[step.copies.front().value];
    }

    /// The same groups in all iterations whose buckets are known.
    template <class CountsOf>
    GradientPlan bucketPlan(const StepsByIteration &steps, const CountsOf &countsOf)
    {
        GradientPlan plan;
        for (const auto &[iteration, ranks] : steps) {
            std::vector<GradientGroup> &groups = plan.iterations[iteration];
            std::size_t next = 0;
            for (const std::size_t count : countsOf(ranks.front()->parameterBytes)) {
                groups.push_back({ next, count });
                next += count;
            }
        }
        return plan;
    }

    bool isAsMeasured(const GradientPlan &plan, const StepsByIteration &steps)
    {
        return std::all_of(steps.begin(), steps.end(), [&plan](const auto &entry) {
            return std::all_of(entry.second.begin(), entry.second.end(),
                               [&](const GradientStep *step) {
                                   return measuredGroups(*step) == plan.iterations.at(entry.first);
                               });
        });
    }

    bool hasForwardAlone(const Graph &graph)
    {
        const auto isAny = [&graph](auto isMeant) {
            return std::any_of(graph.names.begin(), graph.names.end(), isMeant);
        };
        return isAny([](std::string_view name) { return name == DdpForward; })
            && !isAny([](std::string_view name) { return isGradientOp(name); });
    }

    /// Why no step shows DDP's reduction, of a job that may use DDP.
    std::string withoutReduction(const Graph &graph)
    {
        if (!graph.gradientMisfit.empty())
            return "its gradients and all-reduces do not fit together as PyTorch DDP's buckets: "
                + graph.gradientMisfit + ".";
        if (hasForwardAlone(graph))
            return "it runs DistributedDataParallel's forward pass, but no backward pass is "
                   "recorded (no AccumulateGrad), so nothing shows when gradients are ready. "
                   "Record whole training steps.";
        return "no rank shows PyTorch DDP's reduction (AccumulateGrad, then an all-reduce of the "
               "bucket). If it is a job with DistributedDataParallel, record every rank with "
               "torch.profiler and record_shapes=True.";
    }

    /// Why no step shows DDP's reduction; what to record is said only to jobs that may use DDP.
    std::string withoutBuckets(const Graph &graph)
    {
        if (hasOnlyMessages(graph))
            return "its ranks exchange messages (as with a parameter server), there are no "
                   "all-reduced buckets.";
        if (std::none_of(graph.kind.begin(), graph.kind.end(),
                         [](OpKind kind) { return kind == OpKind::Compute; }))
            return "no computation is recorded (as in Horovod's timeline), so when gradients "
                   "become "
                   "ready, and what waits for them, is not known. Import what a profiler recorded "
                   "of the same run, too.";
        if (isSentInPartitions(graph))
            return "its gradients are sent in partitions, and into which buckets PyTorch DDP or "
                   "Horovod would put them is not known. Change the partitions instead: "
                   "partition_bytes, and schedule="
                + scheduleNames(
                       [](const ScheduleTraits &traits) { return traits.fitsRecordedPartitions; })
                + ".";
        const auto isOfTensor = [](const CollectiveNode &node) {
            return node.name == "all_reduce" && !node.tensor.empty();
        };
        if (std::any_of(graph.collectives.begin(), graph.collectives.end(), isOfTensor))
            return "its gradients are reduced tensor by tensor, as the program chooses; there are "
                   "no DDP buckets.";
        if (frameworkOf(graph.names) == Framework::TensorFlowOrJax)
            return "there are no buckets of PyTorch DDP in a job of TensorFlow or JAX.";
        if (graph.workerCount() == 1)
            return "only one rank is recorded, so its all-reduces have no other end. Import the "
                   "traces of the other ranks, too; a job of one rank has none.";
        return withoutReduction(graph);
    }

    std::string withoutWholeIterations(const Graph &graph, const WholeIterations &iterations)
    {
        const std::vector<GradientStep> &steps = graph.gradientSteps;
        if (std::any_of(steps.begin(), steps.end(), [&](const GradientStep &step) {
                return step.parameterBytes != steps.front().parameterBytes;
            }))
            return "the ranks' gradients become ready in different orders.";
        return "only " + std::to_string(iterations.fitSteps) + " of "
            + std::to_string(graph.workerCount() * static_cast<std::size_t>(graph.iterationCount))
            + " rank iterations show PyTorch DDP's reduction."
            + (graph.gradientMisfit.empty()
                   ? ""
                   : " In others gradients and all-reduces do not fit together: "
                       + graph.gradientMisfit + ".");
    }

    /// Of a step whose buckets are all there.
    std::optional<std::string> stepObstacle(const Graph &graph, const GradientStep &step)
    {
        if (graph.collectives[step.buckets.front().collective].parts.size()
            != graph.ownWorkerCount())
            return "its ranks reduce gradients in more than one group.";
        if (isOfSeveralModels(graph, step))
            return "gradients of several models, or of several backward passes, are reduced in "
                   "turn in an iteration; each has buckets of its own.";
        if (step.kernels.empty() == reducesOnAccelerators(graph))
            return "some ranks reduce gradients on accelerators and others do not.";
        if (std::all_of(step.parameterBytes.begin(), step.parameterBytes.end(),
                        [](std::uint64_t bytes) { return bytes == 0; }))
            return "the sizes of its gradients are not recorded, so which of them fill a bucket is "
                   "not known. Record with torch.profiler and record_shapes=True, or state them: "
                   "gradient_sizes=BYTES,BYTES,... in the order in which gradients become ready ("
                + std::to_string(step.parameterBytes.size()) + " of them).";
        if (step.copies.empty())
            return "gradients are not copied out of their buckets (gradient_as_bucket_view=True), "
                   "so nothing shows where they are waited for.";
        return {};
    }

} // namespace

bool reducesOnAccelerators(const Graph &graph)
{
    return !graph.gradientSteps.empty() && !graph.gradientSteps.front().kernels.empty();
}

std::optional<std::string> rebucketObstacle(const Graph &graph)
{
    if (graph.gradientSteps.empty())
        return withoutBuckets(graph);
    const WholeIterations iterations = wholeIterations(graph);
    if (!iterations.areEnough())
        return withoutWholeIterations(graph, iterations);
    for (const GradientStep &step : graph.gradientSteps)
        if (iterations.contains(step.iteration))
            if (auto obstacle = stepObstacle(graph, step))
                return obstacle;
    return {};
}

namespace {

    template <class CountsOf>
    Graph withCounts(const MeasuredJob &job, const CountsOf &countsOf, const JobControl &control,
                     const BucketBase *base)
    {
        const GradientPlan plan
            = bucketPlan(stepsOf(job.graph, wholeIterations(job.graph)), countsOf);
        return withBuckets({ job.graph, job.trace, job.links, plan, control, base });
    }

} // namespace

Graph withBuckets(const PlannedJob &job, Graph *built)
{
    if (isAsMeasured(job.plan, stepsOf(job.graph, wholeIterations(job.graph))))
        return job.graph;
    Graph rewritten = built != nullptr ? std::move(*built) : withGradientPlan(job);
    if (reducesOnAccelerators(job.graph))
        rewritten.notes.push_back("Kernels are taken to be as fast beside other all-reduces as "
                                  "they were beside those that ran with them.");
    return rewritten;
}

Graph rebucket(const Graph &graph, const Trace &trace, const LinkModels &links,
               const BucketLimits &limits, const JobControl &control, const BucketBase *base)
{
    return withCounts(
        { trace, graph, links },
        [&limits](const std::vector<std::uint64_t> &bytes) {
            return bucketLayout(bytes, limits.firstBytes, limits.capBytes);
        },
        control, base);
}

Graph regroup(const Graph &graph, const Trace &trace, const LinkModels &links,
              const std::vector<std::size_t> &counts, const JobControl &control,
              const BucketBase *base)
{
    return withCounts(
        { trace, graph, links }, [&counts](const std::vector<std::uint64_t> &) { return counts; },
        control, base);
}

} // namespace core
