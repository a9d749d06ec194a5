#include "core/change/gradients/horovod_fusion.h"

#include "core/base/duration_text.h"
#include "core/change/gradients/bucket_base.h"
#include "core/change/gradients/gradient_rewriter.h"
#include "core/change/gradients/rebucket.h"
#include "core/change/gradients/whole_iterations.h"
#include "core/change/plans/reduction_line.h"
#include "core/change/plans/replayed_plan.h"
#include "core/replay/replay.h"

#include <algorithm>
#include <cmath>

namespace core {

namespace {

    /// When each gradient of one iteration is ready on all ranks, and which bytes of it are sent.
    /// What becomes ready later is behind in the queue, whatever one rank says.
    std::vector<ReadyTensor> readyTensors(const ReplayResult &replayed, const RankSteps &ranks,
                                          double share)
    {
        std::vector<ReadyTensor> tensors;
        std::int64_t readyNs = 0; // a replay begins then
        for (std::size_t p = 0; p < ranks.front()->parameterBytes.size(); ++p) {
            for (const GradientStep *step : ranks)
                readyNs = std::max(readyNs, replayed.endNs[step->gradients[p].value]);
            const auto bytes = static_cast<double>(ranks.front()->parameterBytes[p]);
            tensors.push_back({ readyNs, static_cast<std::uint64_t>(share * bytes) });
        }
        return tensors;
    }

} // namespace

std::vector<GradientGroup> fusedGroups(const std::vector<ReadyTensor> &tensors,
                                       const FusionLimits &limits,
                                       const std::function<double(std::uint64_t)> &costNs)
{
    std::vector<GradientGroup> groups;
    if (tensors.empty())
        return groups;
    double lookNs
        = static_cast<double>(tensors.front().readyNs) + 0.5 * static_cast<double>(limits.cycleNs);
    double doneNs = 0; // when the last fusion buffer has been reduced
    for (std::size_t next = 0; next < tensors.size();) {
        const auto readyNs = static_cast<double>(tensors[next].readyNs);
        if (readyNs > lookNs) {
            const auto cycleNs = static_cast<double>(std::max<std::int64_t>(1, limits.cycleNs));
            lookNs += std::ceil((readyNs - lookNs) / cycleNs) * cycleNs;
        }
        const double startNs = lookNs;
        while (next < tensors.size() && static_cast<double>(tensors[next].readyNs) <= startNs) {
            GradientGroup group;
            group.firstTensor = next;
            std::uint64_t bytes = 0;
            std::int64_t lastReadyNs = 0;
            do {
                bytes += tensors[next].bytes;
                lastReadyNs = tensors[next].readyNs;
                ++group.tensorCount;
                ++next;
            } while (next < tensors.size() && static_cast<double>(tensors[next].readyNs) <= startNs
                     && bytes + tensors[next].bytes <= limits.thresholdBytes);
            // What waits for the buffer before it does not wait for a cycle.
            const double waitNs = startNs - std::max(doneNs, static_cast<double>(lastReadyNs));
            group.delayNs
                = std::min(limits.cycleNs, static_cast<std::int64_t>(std::max(0.0, waitNs)));
            group.isAfterGroupBefore = true;
            doneNs = std::max(startNs, doneNs) + costNs(bytes);
            groups.push_back(group);
        }
        lookNs = std::max(startNs + static_cast<double>(limits.cycleNs), doneNs);
    }
    return groups;
}

std::optional<std::string> fusionObstacle(const Graph &graph)
{
    if (auto obstacle = rebucketObstacle(graph))
        return obstacle;
    if (reducesOnAccelerators(graph))
        return "gradients are reduced on accelerators: when Horovod's background thread would see "
               "the kernels that make them ready is not recorded. Bucket sizes can be changed.";
    return {};
}

std::shared_ptr<const Graph> withHorovodFusion(const PlanRequest &request,
                                               const FusionLimits &limits)
{
    const ReductionLine line = reductionLine(request);
    const WholeIterations iterations = wholeIterations(*request.graph);
    const double share = sentShare(*request.graph, iterations);
    const auto costNs
        = [&line](std::uint64_t bytes) { return line.ns(static_cast<double>(bytes)); };
    const auto planBy = [&](const Graph &graph, const ReplayResult &replayed) {
        GradientPlan plan;
        for (const auto &[iteration, ranks] : stepsOf(graph, iterations))
            plan.iterations[iteration]
                = fusedGroups(readyTensors(replayed, ranks, share), limits, costNs);
        return plan;
    };
    PlannedGraph planned = replayedPlan(request, planBy);
    planned.graph->notes.push_back(
        "The recorded job reduces gradients in PyTorch DDP's buckets. The prediction is of the "
        "same job with Horovod in its place, with a fusion buffer of "
        + bytesText(limits.thresholdBytes) + " and a cycle of " + durationText(limits.cycleNs)
        + ": what is not given is Horovod 0.28's default.");
    return planned.graph;
}

} // namespace core
