#include "core/fit/links/link_models.h"

#include "core/base/median_ns.h"
#include "core/fit/links/hand_over.h"
#include "core/fit/links/link_bandwidth.h"
#include "core/fit/links/link_fit.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <utility>

namespace core {

namespace {

    constexpr std::size_t EnoughOfReach = 4; ///< transfers for a model of their own

    struct Transfer
    {
        TimeRange range;
        double bytes;
        double steps; ///< see LinkModel::steps
        bool showsLatency; ///< see showLatency()
        std::int64_t lateNs; ///< see lateNsOf()
        bool hasUnseen; ///< ranks without a recording take part
        bool isPartition; ///< of a tensor, held back by a queue of the program's own
        bool isMessage;
        /// Of a CPU backend: when each rank had it under way; else empty.
        std::vector<UnderWay> underWay;
        std::string unknownAlgorithm; ///< see LinkModel::unknownAlgorithm
        std::string statedAlgorithm;
        std::string chosenAlgorithm; ///< where none is stated
        bool isAssumedRing; ///< see LinkModel::assumedRings
    };

    /// Whether nothing tells the algorithm of a collective that has several. gloo's are rings.
    bool isAssumedRing(const Graph &graph, const CollectiveNode &node)
    {
        return node.takenAlgorithm().empty() && node.rankCount() > 2
            && (node.name == "all_reduce" || node.name == "all_gather"
                || node.name == "reduce_scatter")
            && !graph.devices[graph.device[node.transfer.value].value].isHostLink;
    }

    /// By how much the last rank came later than the one before it.
    std::int64_t lateNsOf(const CollectiveNode &node)
    {
        if (node.parts.size() < 2)
            return 0;
        std::vector<std::int64_t> startNs;
        startNs.reserve(node.parts.size());
        for (const CollectiveNode::Part &part : node.parts)
            startNs.push_back(part.startNs);
        std::sort(startNs.begin(), startNs.end());
        return startNs.back() - startNs[startNs.size() - 2];
    }

    /// All where a host is not known.
    LinkReach reachOf(const CollectiveNode &node, const Trace &trace)
    {
        std::string_view first;
        bool isOneHost = true;
        for (const CollectiveNode::Part &part : node.parts) {
            if (part.worker.value >= trace.workers.size())
                return LinkReach::All;
            const std::string &host = trace.workers[part.worker.value].host;
            if (host.empty())
                return LinkReach::All;
            if (first.empty())
                first = host;
            isOneHost = isOneHost && host == first;
        }
        return isOneHost ? LinkReach::WithinHost : LinkReach::BetweenHosts;
    }

    std::vector<UnderWay> underWayOf(const Graph &graph, const CollectiveNode &node)
    {
        std::vector<UnderWay> ranges;
        if (!graph.devices[graph.device[node.transfer.value].value].isHostLink || node.isMessage)
            return ranges;
        ranges.reserve(node.parts.size());
        for (const CollectiveNode::Part &part : node.parts)
            ranges.push_back(
                { part.worker, { part.startNs, part.endNs }, static_cast<double>(node.bytes) });
        return ranges;
    }

    Transfer transferOf(const Graph &graph, const CollectiveNode &node, bool showsLatency,
                        const Trace &trace)
    {
        const auto shape = shapeOf(node, static_cast<double>(node.bytes),
                                   static_cast<double>(node.rankCount()), trace);
        return { measuredTransfer(graph, node),
                 wireBytes(node, node.bytes, trace),
                 shape ? shape->steps : 0,
                 showsLatency,
                 lateNsOf(node),
                 node.hasUnseenRanks(),
                 !node.tensor.empty() && !node.isMessage,
                 node.isMessage,
                 underWayOf(graph, node),
                 shape ? std::string() : node.algorithm,
                 node.algorithm,
                 node.algorithm.empty() ? node.chosenAlgorithm : std::string(),
                 isAssumedRing(graph, node) };
    }

    using Transfers = std::map<LinkClass, std::vector<Transfer>>;

    Transfers transfersOf(const Graph &graph, const Trace &trace, const JobControl &control)
    {
        Transfers transfers;
        const std::vector<bool> showsLatency = showLatency(graph);
        for (std::size_t i = 0; i < graph.collectives.size(); ++i) {
            throwIfCancelled(control);
            const CollectiveNode &node = graph.collectives[i];
            if (node.bytes > 0)
                transfers[{ graph.device[node.transfer.value], node.name, reachOf(node, trace) }]
                    .push_back(transferOf(graph, node, showsLatency[i], trace));
        }
        return transfers;
    }

    /// Together again where a class has too few to tell them apart.
    Transfers joinedClasses(const Transfers &transfers)
    {
        Transfers classes;
        for (const auto &[key, list] : transfers) {
            const auto isEnough = [&, &ofLink = key](LinkReach reach) {
                const auto found = transfers.find({ ofLink.link, ofLink.kind, reach });
                return found != transfers.end() && found->second.size() >= EnoughOfReach;
            };
            LinkClass joint = key;
            if (!isEnough(LinkReach::WithinHost) || !isEnough(LinkReach::BetweenHosts))
                joint.reach = LinkReach::All;
            auto &all = classes[joint];
            all.insert(all.end(), list.begin(), list.end());
        }
        return classes;
    }

    bool areEqual(const std::vector<Transfer> &transfers, double Transfer::*value)
    {
        return std::all_of(transfers.begin(), transfers.end(), [&](const Transfer &transfer) {
            return transfer.*value == transfers.front().*value;
        });
    }

    void setSizes(const std::vector<Transfer> &transfers, LinkModel &model)
    {
        double bytes = 0;
        for (const Transfer &transfer : transfers)
            bytes += transfer.bytes;
        std::set<std::string> stated;
        for (const Transfer &transfer : transfers) {
            if (!transfer.unknownAlgorithm.empty())
                model.unknownAlgorithm = transfer.unknownAlgorithm;
            if (!transfer.statedAlgorithm.empty())
                stated.insert(transfer.statedAlgorithm);
            if (!transfer.chosenAlgorithm.empty())
                ++model.chosenAlgorithms[transfer.chosenAlgorithm];
            model.assumedRings += transfer.isAssumedRing ? 1 : 0;
        }
        for (const std::string &name : stated)
            model.statedAlgorithms += (model.statedAlgorithms.empty() ? "" : ", ") + name;
        model.transfers = transfers.size();
        model.hasSizes = !areEqual(transfers, &Transfer::bytes);
        model.meanBytes = bytes / static_cast<double>(transfers.size());
        model.steps = areEqual(transfers, &Transfer::steps) ? transfers.front().steps : 0;
    }

    /// After the fit.
    void setUnseenWait(const std::vector<Transfer> &transfers, LinkModel &model)
    {
        std::vector<std::int64_t> lateNs;
        for (const Transfer &transfer : transfers)
            if (transfer.hasUnseen)
                lateNs.push_back(transfer.lateNs);
        if (lateNs.empty())
            return;
        model.unseenWaitNs = static_cast<double>(medianNs(std::move(lateNs)));
        if (!model.nominalMbit || !model.isHostLink)
            return;
        const double leastNsPerByte = tcpNsPerByte(*model.nominalMbit);
        model.unseenWaitNs = std::max(model.unseenWaitNs,
                                      (model.betaNsPerByte - leastNsPerByte) * model.meanBytes);
    }

    /// Of collectives on links that are all alike: where some are slower, what a transfer takes
    /// beyond the slowest line's time may be waiting for that one, which goes with its rate; a
    /// message's may be waiting for others that share its link.
    double statedNsPerByte(const LinkModel &model, const Trace &trace)
    {
        const std::vector<double> &rates = trace.stated.linkMbit;
        const bool areAlike
            = std::adjacent_find(rates.begin(), rates.end(), std::not_equal_to<>()) == rates.end();
        if (!model.nominalMbit || !model.isHostLink || !areAlike || model.isOfMessages)
            return 0;
        return tcpNsPerByte(*model.nominalMbit);
    }

    std::string linkClassName(const Graph &graph, const LinkClass &link)
    {
        std::string name = graph.devices[link.link.value].name + ", " + link.kind;
        switch (link.reach) {
        case LinkReach::BetweenHosts:
            return name + " between hosts";
        case LinkReach::WithinHost:
            return name + " within hosts";
        case LinkReach::All:
            break;
        }
        return name;
    }

    std::vector<BusyPeriod> busyPeriods(std::vector<Transfer> transfers)
    {
        std::sort(transfers.begin(), transfers.end(), [](const Transfer &a, const Transfer &b) {
            return a.range.startNs < b.range.startNs;
        });
        std::vector<BusyPeriod> periods;
        std::int64_t busyUntilNs = 0;
        for (const Transfer &transfer : transfers) {
            if (periods.empty() || transfer.range.startNs >= busyUntilNs) {
                periods.emplace_back();
                busyUntilNs = transfer.range.startNs;
            }
            const std::int64_t endNs = std::max(busyUntilNs, transfer.range.endNs);
            periods.back().durationNs += static_cast<double>(endNs - busyUntilNs);
            periods.back().latencies += transfer.showsLatency ? 1 : 0;
            periods.back().bytes += transfer.bytes;
            busyUntilNs = endNs;
        }
        std::erase_if(periods,
                      [](const BusyPeriod &p) { return p.durationNs <= 0 || p.bytes <= 0; });
        return periods;
    }

    /// After the fit.
    void setQueue(const std::vector<Transfer> &transfers, LinkModel &model)
    {
        constexpr double Most = 64; // no backend has more threads
        if (!model.isHostLink || model.isOfMessages || model.lineNsPerByte <= 0)
            return;
        const double lineNs = model.lineNsPerByte * model.meanBytes;
        const double idleNs = model.alphaNs + model.betaNsPerByte * model.meanBytes - lineNs;
        std::vector<UnderWay> underWayOfAll;
        std::vector<std::int64_t> apartNs;
        double bytes = 0, squares = 0;
        for (const Transfer &transfer : transfers) {
            underWayOfAll.insert(underWayOfAll.end(), transfer.underWay.begin(),
                                 transfer.underWay.end());
            apartNs.push_back(endsApartNs(transfer.underWay));
            bytes += transfer.bytes;
            squares += transfer.bytes * transfer.bytes;
        }
        model.isQueued = std::all_of(transfers.begin(), transfers.end(),
                                     [](const Transfer &transfer) { return transfer.isPartition; });
        double underWay = meanUnderWay(underWayOfAll);
        if (model.isQueued)
            underWay = std::min(underWay, mostLargestUnderWay(underWayOfAll));
        model.queue = queuedTransfers(std::clamp(underWay, 1.0, Most), lineNs, idleNs);
        if (!model.isQueued)
            return;
        model.queuedBytes = typicalBytes(bytes, squares);
        model.steadyLatencyNs = static_cast<double>(medianNs(std::move(apartNs)));
    }

    LinkModels fitClasses(const Graph &graph, const Trace &trace, const Transfers &transfers,
                          std::optional<double> nominalMbit, const JobControl &control)
    {
        LinkModels models;
        const std::map<DeviceId, double> handOvers = handOversNs(graph, trace, control);
        for (const auto &[key, list] : transfers) {
            throwIfCancelled(control);
            const std::vector<BusyPeriod> periods = busyPeriods(list);
            if (periods.empty())
                continue;
            LinkModel model;
            model.group = linkClassName(graph, key);
            model.kind = key.kind;
            model.isOfMessages = list.front().isMessage; // a link has these, or collectives
            model.isWithinHost = key.reach == LinkReach::WithinHost;
            if (!model.isWithinHost)
                model.nominalMbit = nominalMbit;
            model.isHostLink = graph.devices[key.link.value].isHostLink;
            model.lineNsPerByte = statedNsPerByte(model, trace);
            setSizes(list, model);
            model.areOverlapping = periods.size() < list.size();
            if (!model.chosenAlgorithms.empty() && graph.nccl)
                model.choiceAssumes = graph.nccl->assumed;
            if (model.assumedRings > 0 && graph.nccl)
                model.noChoice = graph.nccl->notApplied;
            const bool isStated = model.nominalMbit && model.isHostLink;
            fitCost(periods, isStated ? tcpNsPerByte(*model.nominalMbit) : 0, model);
            setQueue(list, model);
            if (const auto known = handOvers.find(key.link);
                known != handOvers.end() && !model.isQueued)
                model.handOverNs = known->second;
            setUnseenWait(list, model);
            models.emplace(key, model);
        }
        setBandwidths(models);
        return models;
    }

} // namespace

TimeRange measuredTransfer(const Graph &graph, const CollectiveNode &node)
{
    TimeRange range { graph.measuredStartNs[node.transfer.value],
                      graph.measuredStartNs[node.transfer.value] };
    for (const CollectiveNode::Part &part : node.parts)
        range.endNs = std::max(range.endNs, part.endNs);
    return range;
}

BusyTimes linkTimes(const Graph &graph, DeviceId link)
{
    std::vector<TimeRange> times;
    for (const CollectiveNode &node : graph.collectives)
        if (graph.device[node.transfer.value] == link)
            times.push_back(measuredTransfer(graph, node));
    return BusyTimes(std::move(times));
}

std::vector<std::vector<std::size_t>> bucketPeriods(const Graph &graph)
{
    std::map<DeviceId, std::set<std::size_t>> buckets; // once for all ranks
    for (const GradientStep &step : graph.gradientSteps)
        for (const GradientStep::Bucket &bucket : step.buckets) {
            const DeviceId link = graph.device[graph.collectives[bucket.collective].transfer.value];
            if (graph.devices[link.value].capacity > 1)
                buckets[link].insert(bucket.collective);
        }
    std::vector<std::vector<std::size_t>> periods;
    for (const auto &[link, indices] : buckets) {
        std::vector<std::pair<TimeRange, std::size_t>> transfers;
        for (const std::size_t i : indices)
            transfers.emplace_back(measuredTransfer(graph, graph.collectives[i]), i);
        std::sort(transfers.begin(), transfers.end(), [](const auto &a, const auto &b) {
            return std::pair(a.first.startNs, a.second) < std::pair(b.first.startNs, b.second);
        });
        std::int64_t busyUntilNs = std::numeric_limits<std::int64_t>::min();
        for (const auto &[range, i] : transfers) {
            if (range.startNs >= busyUntilNs)
                periods.emplace_back();
            periods.back().push_back(i);
            busyUntilNs = std::max(busyUntilNs, range.endNs);
        }
    }
    return periods;
}

std::vector<bool> showLatency(const Graph &graph)
{
    std::vector<bool> shows(graph.collectives.size(), true);
    for (const std::vector<std::size_t> &period : bucketPeriods(graph))
        for (std::size_t i = 1; i < period.size(); ++i)
            shows[period[i]] = false;
    return shows;
}

const LinkModel *modelOf(const LinkModels &links, DeviceId link, const CollectiveNode &node,
                         const Trace &trace)
{
    for (const LinkReach reach : { reachOf(node, trace), LinkReach::All })
        if (const auto found = links.find({ link, node.name, reach }); found != links.end())
            return &found->second;
    return nullptr;
}

LinkModels fitLinks(const Graph &graph, const Trace &trace, const JobControl &control)
{
    const auto transfers = joinedClasses(transfersOf(graph, trace, control));
    const std::optional<double> &statedMbit = trace.stated.bandwidthMbit;
    LinkModels models = fitClasses(graph, trace, transfers, statedMbit, control);
    // Of links that differ it is stated which are slow, and the slowest one's rate bounds all.
    if (!statedMbit || !trace.stated.linkMbit.empty() || !contradicts(models, *statedMbit))
        return models;
    models = fitClasses(graph, trace, transfers, std::nullopt, control);
    for (auto &[key, model] : models)
        if (model.isHostLink)
            model.doubtedMbit = *statedMbit;
    return models;
}

} // namespace core
