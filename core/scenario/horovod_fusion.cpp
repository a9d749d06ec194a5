#include "core/scenario/horovod_fusion.h"

#include "core/base/error.h"
#include "core/scenario/rebucket.h"

#include <algorithm>
#include <cmath>

namespace core {

namespace {

    /// When each gradient of one iteration is ready on all ranks. What becomes ready later is
    /// behind in the queue, whatever one rank says.
    std::vector<ReadyTensor> readyTensors(const Graph &graph, const GradientRewriter::Steps &ranks)
    {
        std::vector<ReadyTensor> tensors;
        std::int64_t readyNs = 0;
        for (std::size_t p = 0; p < ranks.front()->parameterBytes.size(); ++p) {
            for (const GradientStep *step : ranks) {
                const OpId gradient = step->gradients[p];
                const std::int64_t endNs
                    = graph.measuredStartNs[gradient.value] + graph.durationNs[gradient.value];
                readyNs
                    = tensors.empty() && step == ranks.front() ? endNs : std::max(readyNs, endNs);
            }
            tensors.push_back({ readyNs, ranks.front()->parameterBytes[p] });
        }
        return tensors;
    }

} // namespace

std::vector<ReductionGroup> fusedGroups(const std::vector<ReadyTensor> &tensors,
                                        const FusionLimits &limits,
                                        const std::function<double(std::uint64_t)> &costNs)
{
    std::vector<ReductionGroup> groups;
    if (tensors.empty())
        return groups;
    double lookNs
        = static_cast<double>(tensors.front().readyNs) + 0.5 * static_cast<double>(limits.cycleNs);
    for (std::size_t next = 0; next < tensors.size();) {
        const auto readyNs = static_cast<double>(tensors[next].readyNs);
        if (readyNs > lookNs) {
            const auto cycleNs = static_cast<double>(std::max<std::int64_t>(1, limits.cycleNs));
            lookNs += std::ceil((readyNs - lookNs) / cycleNs) * cycleNs;
        }
        const double startNs = lookNs;
        double doneNs = startNs; // when the last fusion buffer has been reduced
        while (next < tensors.size() && static_cast<double>(tensors[next].readyNs) <= startNs) {
            ReductionGroup group;
            std::uint64_t bytes = 0;
            std::int64_t lastReadyNs = 0;
            do {
                bytes += tensors[next].bytes;
                lastReadyNs = tensors[next].readyNs;
                ++group.parameterCount;
                ++next;
            } while (next < tensors.size() && static_cast<double>(tensors[next].readyNs) <= startNs
                     && bytes + tensors[next].bytes <= limits.thresholdBytes);
            // What waits for the buffer before it waits for the link, not for a cycle.
            const double waitNs = startNs - static_cast<double>(lastReadyNs);
            group.delayNs = doneNs > startNs
                ? 0
                : std::min(limits.cycleNs, static_cast<std::int64_t>(waitNs));
            doneNs += costNs(bytes);
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

Graph withHorovodFusion(const Graph &graph, const Trace &trace, const LinkModels &links,
                        const FusionLimits &limits, const JobControl &control)
{
    if (const auto obstacle = fusionObstacle(graph))
        throw Error("fusion_threshold_bytes and cycle_time_ms cannot be changed on this trace: "
                    + *obstacle);
    return withReductionGroups(
        graph, trace, links,
        [&](const GradientRewriter::Steps &ranks) {
            const CollectiveNode &node
                = graph.collectives[ranks.front()->buckets.front().collective];
            const LinkModel *model = modelOf(links, graph.device[node.transfer.value], node, trace);
            const auto costNs = [&](std::uint64_t bytes) {
                return model ? model->alphaNs + model->betaNsPerByte * wireBytes(node, bytes, trace)
                             : 0;
            };
            return fusedGroups(readyTensors(graph, ranks), limits, costNs);
        },
        control);
}

} // namespace core
