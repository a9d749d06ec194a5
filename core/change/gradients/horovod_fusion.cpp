#include "core/change/gradients/horovod_fusion.h"

#include "core/base/duration_text.h"
#include "core/change/gradients/bucket_base.h"
#include "core/change/gradients/gradient_rewriter.h"
#include "core/change/gradients/rebucket.h"
#include "core/change/gradients/whole_iterations.h"
#include "core/measure/bounded_time.h"
#include "core/replay/replay.h"

#include <algorithm>
#include <cmath>

namespace core {

namespace {

    constexpr int MostPlannings = 3; ///< of planning groups by a replay of those planned before
    constexpr double ProbeBytes = 1024.0 * 1024;

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

    /// Plans the groups of one what-if.
    class FusionPlanner
    {
    public:
        FusionPlanner(const std::shared_ptr<const Graph> &graph, const Trace &trace,
                      const LinkModels &links, const FusionLimits &limits,
                      const OtherChanges &changes, const JobControl &control)
            : m_graph(graph)
            , m_trace(trace)
            , m_links(links)
            , m_limits(limits)
            , m_changes(changes)
            , m_control(control)
            , m_iterations(wholeIterations(*graph))
            , m_sentShare(sentShare(*graph, m_iterations))
        {
            const double oneNs = changedNs(ProbeBytes), twoNs = changedNs(2 * ProbeBytes);
            m_nsPerByte = (twoNs - oneNs) / ProbeBytes;
            m_latencyNs = oneNs - m_nsPerByte * ProbeBytes;
        }

        std::shared_ptr<const Graph> fused() const
        {
            GradientPlan plan = planBy(*m_changes.of(m_graph));
            for (int round = 1;; ++round) {
                auto graph = std::make_shared<const Graph>(fusedBy(plan));
                if (round == MostPlannings)
                    return graph;
                GradientPlan next = planBy(*m_changes.of(graph));
                if (haveSameGroups(plan, next))
                    return graph;
                plan = std::move(next);
            }
        }

    private:
        /// What an all-reduce of so many bytes takes, which alone is alpha + beta * bytes whatever
        /// the settings.
        double changedNs(double bytes) const
        {
            const GradientStep &step = m_graph->gradientSteps.front();
            const std::size_t index = step.buckets.front().collective;
            auto probe = std::make_shared<Graph>(*m_graph);
            CollectiveNode &node = probe->collectives[index];
            const std::size_t transfer = node.transfer.value;
            node.bytes = static_cast<std::uint64_t>(bytes);
            const LinkModel *model = modelOf(m_links, probe->device[transfer], node, m_trace);
            if (model == nullptr)
                return 0;
            probe->durationNs[transfer] = boundedNs(
                model->alphaNs + model->betaNsPerByte * wireBytes(node, node.bytes, m_trace));
            probe->delayNs[transfer] = 0;
            probe->bytes.resize(probe->size(), 0); // as of predicted transfers
            probe->bytes[transfer] = node.bytes;
            const auto changed = m_changes.ofTransfers(std::move(probe));
            return static_cast<double>(changed->durationNs[transfer] + changed->delayNs[transfer]);
        }

        GradientPlan planBy(const Graph &graph) const
        {
            const auto costNs = [this](std::uint64_t bytes) {
                return m_latencyNs + m_nsPerByte * static_cast<double>(bytes);
            };
            const ReplayResult replayed = replay(graph, m_control);
            GradientPlan plan;
            for (const auto &[iteration, ranks] : stepsOf(graph, m_iterations))
                plan.iterations[iteration]
                    = fusedGroups(readyTensors(replayed, ranks, m_sentShare), m_limits, costNs);
            return plan;
        }

        Graph fusedBy(const GradientPlan &plan) const
        {
            Graph fused = withGradientPlan({ *m_graph, m_trace, m_links, plan, m_control });
            fused.notes.push_back(
                "The recorded job reduces gradients in PyTorch DDP's buckets. The prediction is of "
                "the same job with Horovod in its place, with a fusion buffer of "
                + bytesText(m_limits.thresholdBytes) + " and a cycle of "
                + durationText(m_limits.cycleNs)
                + ": what is not given is Horovod 0.28's default.");
            return fused;
        }

        const std::shared_ptr<const Graph> &m_graph;
        const Trace &m_trace;
        const LinkModels &m_links;
        const FusionLimits &m_limits;
        const OtherChanges &m_changes;
        const JobControl &m_control;
        const WholeIterations m_iterations; ///< that are rewritten
        const double m_sentShare;
        double m_latencyNs = 0, m_nsPerByte = 0; ///< of an all-reduce, with the other changes
    };

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

std::shared_ptr<const Graph> withHorovodFusion(const std::shared_ptr<const Graph> &graph,
                                               const Trace &trace, const LinkModels &links,
                                               const FusionLimits &limits,
                                               const OtherChanges &changes,
                                               const JobControl &control)
{
    return FusionPlanner(graph, trace, links, limits, changes, control).fused();
}

} // namespace core
