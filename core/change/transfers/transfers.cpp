#include "core/change/transfers/transfers.h"

#include "core/base/duration_text.h"
#include "core/change/gradients/partition_cost.h"
#include "core/change/infeasible.h"
#include "core/change/transfers/wanted_rates.h"
#include "core/fit/contention/shared_work.h"
#include "core/fit/links/collective_cost.h"
#include "core/fit/links/nccl_choices.h"
#include "core/fit/links/node_shape.h"
#include "core/fit/links/transfer_models.h"
#include "core/measure/bounded_time.h"
#include "core/measure/group_places.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>

namespace core {

namespace {

    /// Not to 0, which stands for bytes that are not known.
    std::uint64_t scaledBytes(std::uint64_t bytes, double scale)
    {
        const double scaled = std::round(static_cast<double>(bytes) * scale);
        return bytes == 0 ? 0 : std::max<std::uint64_t>(1, static_cast<std::uint64_t>(scaled));
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
                         const LinkChanges &changes, const PartitionChanges &partitions)
            : m_measured(graph)
            , m_trace(trace)
            , m_links(links)
            , m_models(links, trace)
            , m_changes(changes)
            , m_partitions(partitions)
            , m_graph(graph)
            , m_rates(graph, trace, changes)
            , m_showsLatency(showLatency(graph))
        {
        }

        Graph rewrite()
        {
            std::size_t unknown = 0;
            if (m_changes.changeRate() || !m_changes.payloadScale.empty())
                m_sharedNs = workSharedByBytes(m_measured, m_trace, m_links, m_showsLatency);
            for (std::size_t i = 0; i < m_measured.collectives.size(); ++i) {
                const CollectiveNode &node = m_measured.collectives[i];
                const auto link = m_measured.device[node.transfer.value];
                if (const LinkModel *model = m_models.of(link, node))
                    rewriteOne(i, link, *model);
                else if (!isBarrier(node))
                    ++unknown;
            }
            m_rates.apply(m_graph);
            if (unknown > 0)
                m_graph.notes.push_back("The size of " + countText(unknown, "collective")
                                        + " was not recorded: the measured time stays.");
            noteUnknownPeers();
            noteWithinHosts();
            noteUnknownHosts();
            return std::move(m_graph);
        }

    private:
        void noteUnknownPeers()
        {
            const auto kept = static_cast<std::size_t>(std::count_if(
                m_measured.collectives.begin(), m_measured.collectives.end(), hasUnknownPeers));
            if (m_changes.worldSize.value_or(1) > 1 && kept > 0) // one rank alone sends nothing
                m_graph.notes.push_back(
                    "Who sends to whom in " + countText(kept, "transfer")
                    + " of all ranks (send_recv) is not recorded: they take as long as they did, "
                      "whatever the number of ranks.");
        }

        void noteWithinHosts()
        {
            const bool hasOwn = std::any_of(m_links.begin(), m_links.end(), [](const auto &entry) {
                return entry.second.isWithinHost;
            });
            if (hasOwn && (m_changes.changeRate() || m_changes.latencyUs))
                m_graph.notes.push_back("Bandwidth and latency are those of the network between "
                                        "hosts: transfers within a host keep theirs.");
        }

        double recordedNs(std::size_t i) const
        {
            return static_cast<double>(
                m_measured.durationNs[m_measured.collectives[i].transfer.value]);
        }

        /// As recorded, or as a bucket shares the work of others at another rate or size.
        double wholeNs(std::size_t i, bool isPredicted, bool staysShared) const
        {
            const OpId transfer = m_measured.collectives[i].transfer;
            if (isPredicted) // alpha is beside the link's time; see hideLatency()
                return recordedNs(i) + static_cast<double>(m_measured.delayNs[transfer.value]);
            const auto shared = m_sharedNs.find(i);
            return staysShared || shared == m_sharedNs.end() ? recordedNs(i) : shared->second;
        }

        void rewriteOne(std::size_t index, DeviceId link, const LinkModel &model)
        {
            const CollectiveNode &node = m_measured.collectives[index];
            const auto payload = static_cast<double>(node.bytes);
            const auto ranks = static_cast<double>(node.rankCount());
            // Where what was taken is not known, it stays: see algorithmObstacle().
            const TransferShape from = shapeOf(node, payload, ranks, m_trace)
                                           .value_or(transferShape(CollectiveAlgorithm::Ring,
                                                                   node.name, payload, ranks));
            const TransferRate rate = m_rates.rateOf(node, model);
            const double payloadScale = m_changes.payloadScaleOf(index);
            const TransferShape to = wantedShape(
                node, payload * payloadScale, ranks,
                { .steps = from.steps, .bytes = payloadScale * from.bytes }, rate.scale);
            scalePayload(index, payloadScale);
            if (const auto cost = partitionCost(index, link, model, from.bytes)) {
                rewritePartition(node, rate.scale, model, *cost, from, to);
                return;
            }
            std::int64_t &durationNs = m_graph.durationNs[node.transfer.value];
            const bool isPredicted = m_measured.isPredicted(node.transfer);
            const bool isUnseen = !isPredicted && !m_showsLatency[index];
            std::int64_t &hiddenNs = m_graph.delayNs[node.transfer.value];
            const double allNs = wholeNs(index, isPredicted, rate.scale == 1 && payloadScale == 1);
            const double alphaNs = isUnseen ? 0 : std::min(model.alphaNs, allNs);
            const double stepNs = from.steps > 0 ? alphaNs / from.steps : 0;
            const double wantedStepNs
                = model.isWithinHost ? stepNs : m_changes.latencyUs.value_or(stepNs / 1e3) * 1e3;
            const double bytesNs = allNs - alphaNs;
            const double growth = from.bytes > 0 ? to.bytes / from.bytes : 1;
            const double wantedAlphaNs = to.steps * wantedStepNs;
            const double lineNs = bytesNs * model.lineShare();
            const double wantedBytesNs = growth * (lineNs / rate.scale + bytesNs - lineNs);
            const bool isHidden
                = isPredicted ? hiddenNs > 0 : isUnseen && m_changes.latencyUs.has_value();
            // Time that no bytes take is not stretched by a limit.
            durationNs = boundedNs((isHidden ? 0 : wantedAlphaNs * rate.limit) + wantedBytesNs);
            if (rate.limit < 1)
                setRateLimit(node.transfer, static_cast<float>(rate.limit));
            if (isHidden) // a measured one's delay is a wait for ranks without a recording
                hiddenNs = (isPredicted ? 0 : hiddenNs) + boundedNs(wantedAlphaNs);
        }

        void scalePayload(std::size_t index, double scale)
        {
            if (scale == 1)
                return;
            CollectiveNode &node = m_graph.collectives[index];
            node.bytes = scaledBytes(node.bytes, scale);
            if (m_measured.isPredicted(node.transfer))
                m_graph.bytes[node.transfer.value]
                    = scaledBytes(m_measured.bytesOf(node.transfer), scale);
        }

        /// Empty where it is no partition whose cost is told apart from others'.
        std::optional<PartitionCost> partitionCost(std::size_t index, DeviceId link,
                                                   const LinkModel &model, double bytes) const
        {
            const CollectiveNode &node = m_measured.collectives[index];
            const Device &device = m_measured.devices[link.value];
            if (m_partitions.arePartitioned() && m_measured.isPredicted(node.transfer)
                && (device.capacity > 1 || model.isQueued))
                return costOfPartition(model, device, partitionLimits(m_partitions), bytes);
            if (model.isQueued && !node.tensor.empty())
                return costOfRecordedPartitions(model);
            return std::nullopt;
        }

        /// A partition waits for its peers longer or shorter by as much as a step's latency, of
        /// which the fitted alpha is the sum, becomes: what is said of the link changes nothing.
        double wantedLatencyNs(double measuredNs, const LinkModel &model, const TransferShape &from,
                               const TransferShape &to) const
        {
            if (from.steps <= 0)
                return measuredNs;
            const double moreNs = m_changes.latencyUs && !model.isWithinHost
                ? *m_changes.latencyUs * 1e3 - model.alphaNs / from.steps
                : 0;
            return std::max(0.0, to.steps * (measuredNs / from.steps + moreNs));
        }

        /// What a partition takes beyond its bytes' time on the line is its share of the time for
        /// which the line idled; that changes as the mean of it does. `rateScale`: the rate of the
        /// node's links, wanted to recorded.
        void rewritePartition(const CollectiveNode &node, double rateScale, const LinkModel &model,
                              const PartitionCost &cost, const TransferShape &from,
                              const TransferShape &to)
        {
            const bool isPredicted = m_measured.isPredicted(node.transfer);
            PartitionCost wanted = cost;
            wanted.queue.latencyNs = wantedLatencyNs(cost.queue.latencyNs, model, from, to);
            const double slower = (from.bytes > 0 ? to.bytes / from.bytes : 1) / rateScale;
            const double meanLineNs = cost.nsPerByte * (isPredicted ? from.bytes : model.meanBytes);
            const double idleNs = cost.idleNs(meanLineNs);
            const double wantedIdleNs = wanted.idleNs(slower * meanLineNs);
            std::int64_t &durationNs = m_graph.durationNs[node.transfer.value];
            const auto wholeNs = static_cast<double>(durationNs);
            const double lineNs = std::min(wholeNs, cost.nsPerByte * from.bytes);
            const double restNs = wholeNs - lineNs;
            durationNs = boundedNs(
                slower * lineNs
                + (idleNs > 0 ? restNs * wantedIdleNs / idleNs : wantedIdleNs + restNs));
        }

        /// `networkScale`: the rate of the node's links, wanted to recorded. NCCL chooses again.
        TransferShape wantedShape(const CollectiveNode &node, double payload, double ranks,
                                  const TransferShape &measured, double networkScale)
        {
            const double wanted = m_changes.worldSize.value_or(ranks);
            const double own = payload * payloadGrowth(node.name, ranks, wanted);
            const bool staysAsChosen = node.chosenAlgorithm.empty() || networkScale == 1
                || m_changes.collective.has_value();
            if (!m_changes.worldSize && staysAsChosen
                && (!m_changes.collective || node.name != "all_reduce"))
                return measured;
            if (!m_changes.collective) {
                const auto known = shapeOf(
                    node, takenAfter(node, { own, wanted, networkScale }, m_measured, m_trace), own,
                    wanted, m_trace);
                if (!known)
                    throw Infeasible(
                        "world_size: NCCL's " + node.algorithm
                        + " does not reach beyond a host, and what it would take instead "
                          "for so many ranks is not known. Give collective, too.");
                return *known;
            }
            const CollectiveChoice &choice = *m_changes.collective;
            TransferPlace place;
            place.servers = static_cast<double>(choice.servers);
            if (choice.algorithm == CollectiveAlgorithm::Hierarchical)
                place.ranksOfHost = knownRanksOfHost(node);
            return transferShape(choice.algorithm, node.name, own, wanted, place);
        }

        double knownRanksOfHost(const CollectiveNode &node)
        {
            const std::optional<double> ranks = ranksOfHost(node, m_trace);
            m_areHostsMissed = m_areHostsMissed || !ranks;
            return ranks.value_or(1);
        }

        /// Where that changes nothing, noChangeText() tells why.
        void noteUnknownHosts()
        {
            if (m_areHostsMissed && m_graph.durationNs != m_measured.durationNs)
                m_graph.notes.push_back("The trace does not tell which ranks share a host: "
                                        "'hierarchical' is predicted as a ring of all ranks.");
        }

        void setRateLimit(OpId op, float limit)
        {
            m_graph.rateLimit.resize(m_graph.size(), 0);
            m_graph.rateLimit[op.value] = limit;
        }

        const Graph &m_measured;
        const Trace &m_trace;
        const LinkModels &m_links;
        TransferModels m_models;
        const LinkChanges &m_changes;
        const PartitionChanges &m_partitions;
        Graph m_graph;
        WantedRates m_rates;
        std::vector<bool> m_showsLatency; ///< [collectives]
        std::map<std::size_t, double> m_sharedNs; ///< by collective; see workSharedByBytes()
        bool m_areHostsMissed = false;
    };

} // namespace

Graph rewriteTransfers(const Graph &graph, const Trace &trace, const LinkModels &links,
                       const LinkChanges &changes, const PartitionChanges &partitions)
{
    return TransferRewriter(graph, trace, links, changes, partitions).rewrite();
}

} // namespace core
