#include "core/fit/links/unseen_waits.h"

#include "core/base/interval_set.h"
#include "core/fit/links/link_bandwidth.h"
#include "core/fit/links/link_models.h"
#include "core/model/world_size.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace core {

namespace {

    /// A transfer of a link, as it was measured, and what it takes at the stated rate.
    struct StatedTransfer
    {
        OpId op;
        TimeRange range;
        double ns = 0;
        bool hasUnseen = false; ///< ranks without a recording take part
    };

    using LinkTransfers = std::vector<StatedTransfer>;

    std::map<DeviceId, LinkTransfers> hostLinkTransfers(const Graph &graph, const Trace &trace,
                                                        double nsPerByte)
    {
        std::map<DeviceId, LinkTransfers> links;
        for (const CollectiveNode &node : graph.collectives)
            if (graph.devices[graph.device[node.transfer.value].value].isHostLink)
                links[graph.device[node.transfer.value]].push_back(
                    { node.transfer, measuredTransfer(graph, node),
                      nsPerByte * wireBytes(node, node.bytes, trace), node.hasUnseenRanks() });
        for (auto &entry : links)
            std::stable_sort(entry.second.begin(), entry.second.end(),
                             [](const StatedTransfer &a, const StatedTransfer &b) {
                                 return a.range.startNs < b.range.startNs;
                             });
        return links;
    }

    class WaitFinder
    {
    public:
        explicit WaitFinder(Graph &graph)
            : m_graph(graph)
        {
        }

        void find(LinkTransfers &transfers)
        {
            const std::vector<Period> periods = busyPeriods(transfers);
            Period all;
            for (const Period &period : periods) {
                all.busyNs += period.busyNs;
                all.ns += period.ns;
            }
            if (!isLonger(all)) // what small ones take beside their bytes is no waiting
                return;
            for (const Period &period : periods)
                if (period.hasUnseen && isLonger(period))
                    setBegins(period.transfers);
        }

    private:
        /// A time in which the link was busy without a pause.
        struct Period
        {
            std::span<StatedTransfer> transfers = {};
            double busyNs = 0;
            double ns = 0; ///< at the stated rate
            bool hasUnseen = true; ///< of each transfer
        };

        static bool isLonger(const Period &period)
        {
            return LeastUsedShare * period.busyNs > period.ns;
        }

        static std::vector<Period> busyPeriods(LinkTransfers &transfers)
        {
            std::vector<Period> periods;
            for (auto first = transfers.begin(); first != transfers.end();) {
                Period period;
                std::int64_t endNs = first->range.startNs;
                auto next = first;
                for (; next != transfers.end() && (next == first || next->range.startNs < endNs);
                     ++next) {
                    endNs = std::max(endNs, next->range.endNs);
                    period.ns += next->ns;
                    period.hasUnseen = period.hasUnseen && next->hasUnseen && next->ns > 0;
                }
                period.busyNs = static_cast<double>(endNs - first->range.startNs);
                period.transfers = { first, next };
                periods.push_back(period);
                first = next;
            }
            return periods;
        }

        /// From the last to end on, one after the other.
        void setBegins(std::span<StatedTransfer> transfers)
        {
            std::stable_sort(transfers.begin(), transfers.end(),
                             [](const StatedTransfer &a, const StatedTransfer &b) {
                                 return a.range.endNs > b.range.endNs;
                             });
            std::int64_t freeUntilNs = transfers.front().range.endNs;
            for (const StatedTransfer &transfer : transfers) {
                freeUntilNs
                    = std::min(freeUntilNs, transfer.range.endNs) - std::llround(transfer.ns);
                setBegin(transfer, freeUntilNs);
            }
        }

        void setBegin(const StatedTransfer &transfer, std::int64_t beginNs)
        {
            const std::int64_t waitNs = std::max<std::int64_t>(0, beginNs - transfer.range.startNs);
            const std::size_t op = transfer.op.value;
            m_graph.durationNs[op] = std::llround(transfer.ns);
            m_graph.delayNs[op] += waitNs;
            m_graph.measuredStartNs[op] += waitNs;
        }

        Graph &m_graph;
    };

} // namespace

bool lacksRanks(const Trace &trace, const Graph &graph)
{
    const int recorded = static_cast<int>(trace.workers.size());
    return statedWorldSize(trace).value_or(0) > recorded
        || std::any_of(graph.collectives.begin(), graph.collectives.end(),
                       [](const CollectiveNode &node) { return node.hasUnseenRanks(); });
}

Graph withUnseenWaits(Graph graph, const Trace &trace)
{
    const std::optional<double> &statedMbit = trace.stated.bandwidthMbit;
    if (!statedMbit
        || std::none_of(graph.collectives.begin(), graph.collectives.end(),
                        [](const CollectiveNode &node) { return node.hasUnseenRanks(); }))
        return graph;
    WaitFinder finder(graph);
    for (auto &entry : hostLinkTransfers(graph, trace, tcpNsPerByte(*statedMbit)))
        finder.find(entry.second);
    return graph;
}

std::int64_t unseenWaitNs(const Graph &graph, const CollectiveNode &node)
{
    if (!node.hasUnseenRanks()
        || !graph.devices[graph.device[node.transfer.value].value].isHostLink)
        return 0;
    // A predicted transfer's own delay is its latency; see BucketReduction::hideLatency().
    const bool isPredicted = graph.isPredicted(node.transfer);
    return graph.delayNs[(isPredicted ? node.arrival : node.transfer).value];
}

std::int64_t unseenWaitNs(const Graph &graph)
{
    std::vector<TimeRange> waits;
    for (const CollectiveNode &node : graph.collectives) {
        const std::int64_t beginNs = graph.measuredStartNs[node.transfer.value];
        waits.push_back({ beginNs - unseenWaitNs(graph, node), beginNs });
    }
    return IntervalSet(std::move(waits)).lengthNs() / std::max(1, graph.iterationCount);
}

} // namespace core
