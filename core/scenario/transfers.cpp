#include "core/scenario/transfers.h"

#include "core/base/error.h"
#include "core/model/world_size.h"
#include "core/scenario/bounded_time.h"
#include "core/scenario/collective_cost.h"
#include "core/scenario/interference.h"
#include "core/scenario/job_metadata.h"
#include "core/scenario/setting_rank.h"

#include <algorithm>
#include <cmath>

namespace core {

namespace {

    /// A core that gives all of its time to communication drives its link no faster: c * r <= 1.
    double drivableScale(const Graph &graph, double wanted)
    {
        const double load = std::log(graph.slowdown);
        return wanted * load > 1 ? std::max(1.0, 1 / load) : wanted;
    }

    bool changesRate(const ScenarioSettings &settings)
    {
        return settings.bandwidthMbit || settings.bandwidthScale
            || !settings.bandwidthMbitOf.empty();
    }

    /// A collective that moves no data.
    bool isBarrier(const CollectiveNode &node)
    {
        return node.name == "barrier";
    }

    class TransferRewriter
    {
    public:
        TransferRewriter(const Graph &graph, const Trace &trace, const LinkModels &links,
                         const ScenarioSettings &settings)
            : m_measured(graph)
            , m_trace(trace)
            , m_links(links)
            , m_settings(settings)
            , m_graph(graph)
            , m_statedMbit(linkRatesMbit(trace))
        {
            checkRanks();
            for (const auto &[key, model] : links)
                checkModel(model);
        }

        Graph rewrite()
        {
            std::size_t unknown = 0;
            for (const CollectiveNode &node : m_measured.collectives) {
                const auto link = m_measured.device[node.transfer.value];
                const auto model = m_links.find({ link, node.name });
                if (model != m_links.end())
                    rewriteOne(node, link, model->second);
                else if (!isBarrier(node))
                    ++unknown;
            }
            if (unknown > 0)
                m_graph.notes.push_back(std::to_string(unknown)
                                        + " collectives whose size was not recorded keep their "
                                          "measured time.");
            if (m_drivenScale)
                m_graph.slowdown
                    = std::min(LargestSlowdown, std::pow(m_measured.slowdown, *m_drivenScale));
            return std::move(m_graph);
        }

    private:
        void checkRanks() const
        {
            for (const auto &[rank, mbit] : m_settings.bandwidthMbitOf)
                workerOfSetting(m_trace, "bandwidth_mbit", rank);
            std::vector<LinkModel> models;
            for (const auto &[key, model] : m_links)
                models.push_back(model);
            if (m_settings.collective)
                refuse("collective", collectiveObstacle(models));
            if (m_settings.worldSize)
                refuse("world_size", worldSizeObstacle(m_measured));
        }

        static void refuse(const std::string &key, const std::optional<std::string> &obstacle)
        {
            if (obstacle)
                throw Error(key + ": " + *obstacle);
        }

        void checkModel(const LinkModel &model) const
        {
            if (m_settings.latencyUs)
                refuse("latency_us", latencyObstacle(model));
            if (changesRate(m_settings))
                if (const auto obstacle = rateObstacle(model))
                    throw Error("The bandwidth cannot be changed on this trace: " + *obstacle);
        }

        void rewriteOne(const CollectiveNode &node, DeviceId link, const LinkModel &model)
        {
            const auto payload = static_cast<double>(node.bytes);
            const auto ranks = static_cast<double>(ranksOf(node, m_trace));
            const TransferShape from
                = transferShape(CollectiveAlgorithm::Ring, node.name, payload, ranks);
            const TransferShape to = wantedShape(node, payload, ranks);
            std::int64_t &durationNs = m_graph.durationNs[node.transfer.value];
            // Of a slice alpha is beside the link's time; see withSlices().
            const bool isSlice = m_measured.bytesOf(node.transfer) > 0;
            std::int64_t &hiddenNs = m_graph.delayNs[node.transfer.value];
            const double wholeNs
                = static_cast<double>(durationNs) + (isSlice ? static_cast<double>(hiddenNs) : 0);
            const double alphaNs = std::min(model.alphaNs, wholeNs);
            const double stepNs = from.steps > 0 ? alphaNs / from.steps : 0;
            const double wantedStepNs = m_settings.latencyUs.value_or(stepNs / 1e3) * 1e3;
            const double bytesNs = wholeNs - alphaNs;
            const double growth = from.bytes > 0 ? to.bytes / from.bytes : 1;
            const double wantedAlphaNs = to.steps * wantedStepNs;
            const double wantedBytesNs = bytesNs * growth / rateScale(node, link, model);
            const bool isHidden = isSlice && hiddenNs > 0;
            durationNs = boundedNs((isHidden ? 0 : wantedAlphaNs) + wantedBytesNs);
            if (isHidden)
                hiddenNs = boundedNs(wantedAlphaNs);
        }

        TransferShape wantedShape(const CollectiveNode &node, double payload, double ranks) const
        {
            const double wanted = m_settings.worldSize.value_or(ranks);
            const double own = payload * payloadGrowth(node.name, ranks, wanted);
            if (!m_settings.collective)
                return transferShape(CollectiveAlgorithm::Ring, node.name, own, wanted);
            return transferShape(m_settings.collective->algorithm, node.name, own, wanted,
                                 m_settings.collective->servers);
        }

        /// Of the collective's slowest link, wanted to measured.
        double rateScale(const CollectiveNode &node, DeviceId link, const LinkModel &model)
        {
            if (!changesRate(m_settings))
                return 1;
            double measured = 0, wanted = 0;
            for (const CollectiveNode::Part &part : node.parts) {
                const int rank = m_trace.workers[part.worker.value].rank;
                const double had = statedMbit(rank).value_or(nominalMbit(model));
                const double has = wantedMbit(rank, had);
                measured = measured == 0 ? had : std::min(measured, had);
                wanted = wanted == 0 ? has : std::min(wanted, has);
            }
            return m_measured.interferingLink == link ? driven(wanted / measured, node, model)
                                                      : wanted / measured;
        }

        std::optional<double> statedMbit(int rank) const
        {
            const auto index = static_cast<std::size_t>(rank);
            return rank >= 0 && index < m_statedMbit.size() ? std::optional(m_statedMbit[index])
                                                            : std::nullopt;
        }

        double wantedMbit(int rank, double had) const
        {
            if (const auto own = m_settings.bandwidthMbitOf.find(rank);
                own != m_settings.bandwidthMbitOf.end())
                return own->second;
            if (m_settings.bandwidthMbit)
                return *m_settings.bandwidthMbit;
            return had * m_settings.bandwidthScale.value_or(1);
        }

        /// The CPU backend's rate is bounded by its core; what overlaps it is slowed down by the
        /// new rate, once a link and by the kind that the slowdown was estimated from.
        double driven(double wanted, const CollectiveNode &node, const LinkModel &model)
        {
            const double scale = drivableScale(m_measured, wanted);
            if (scale < wanted && !m_isNoted) {
                m_isNoted = true;
                m_graph.notes.push_back("Beyond "
                                        + std::to_string(std::llround(scale * nominalMbit(model)))
                                        + " Mbit/s the ranks' cores cannot drive '" + model.group
                                        + "'; the prediction stops there.");
            }
            if (node.name == "all_reduce")
                m_drivenScale = std::max(m_drivenScale.value_or(0), scale);
            return scale;
        }

        const Graph &m_measured;
        const Trace &m_trace;
        const LinkModels &m_links;
        const ScenarioSettings &m_settings;
        Graph m_graph;
        std::vector<double> m_statedMbit; ///< by rank; empty: not stated
        bool m_isNoted = false;
        std::optional<double> m_drivenScale; ///< of the fastest group on the interfering link
    };

} // namespace

std::size_t ranksOf(const CollectiveNode &node, const Trace &trace)
{
    if (node.parts.size() != trace.workers.size())
        return node.parts.size();
    const int stated = std::max(0, statedWorldSize(trace).value_or(0));
    return std::max(trace.workers.size(), static_cast<std::size_t>(stated));
}

double nominalMbit(const LinkModel &model)
{
    return model.nominalMbit.value_or(model.rateMbit() / (model.isHostLink ? TcpPayloadShare : 1));
}

std::optional<std::string> rateObstacle(const LinkModel &model)
{
    if (model.hasSizes || model.nominalMbit)
        return {};
    return "all transfers of '" + model.group
        + "' have one size, so nothing tells how much of their time goes with their bytes. Record "
          "with another bucket size, or state bandwidth_mbit in a meta.json beside the traces.";
}

std::optional<std::string> latencyObstacle(const LinkModel &model)
{
    // What of a transfer's time is latency shows only where transfers differ.
    if (model.isAlphaFitted)
        return {};
    return "the transfers of '" + model.group
        + "' are too much alike to tell how much of their time is latency. Record with another "
          "bucket size.";
}

std::optional<std::string> worldSizeObstacle(const Graph &graph)
{
    for (const CollectiveNode &node : graph.collectives)
        if (node.parts.size() != graph.workerCount())
            return "'" + node.name + "' of group '" + node.group
                + "' is not of all ranks, so the trace does not tell which groups would grow.";
    return {};
}

std::optional<std::string> collectiveObstacle(const std::vector<LinkModel> &links)
{
    const bool hasAllReduce = std::any_of(links.begin(), links.end(), [](const LinkModel &model) {
        return model.kind == "all_reduce";
    });
    if (hasAllReduce)
        return {};
    return "the trace holds no all-reduce whose size is recorded, and only these are changed. "
           "Record sizes, too (torch.profiler: record_shapes=True).";
}

bool changesTransfers(const ScenarioSettings &settings)
{
    return changesRate(settings) || settings.latencyUs || settings.worldSize || settings.collective;
}

Graph rewriteTransfers(const Graph &graph, const Trace &trace, const LinkModels &links,
                       const ScenarioSettings &settings)
{
    if (links.empty())
        throw Error("The network cannot be changed on this trace: " + std::string(NoLinkText));
    return TransferRewriter(graph, trace, links, settings).rewrite();
}

} // namespace core
