#include "core/scenario/link_model.h"

#include "core/base/interval_set.h"
#include "core/base/median_ns.h"
#include "core/scenario/group_places.h"
#include "core/scenario/job_metadata.h"
#include "core/scenario/student_t.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace core {

namespace {

    constexpr std::size_t EnoughOfReach = 4; ///< transfers for a model of their own

    struct Transfer
    {
        TimeRange range;
        double bytes;
        double steps; ///< see LinkModel::steps
        std::int64_t lateNs; ///< see lateNsOf()
        bool hasUnseen; ///< ranks without a recording take part
        /// Of a slice of a tensor, which a queue of the program's own held back: when each rank had
        /// it under way; else empty.
        std::vector<std::pair<WorkerId, TimeRange>> underWay;
        std::string unknownAlgorithm; ///< see LinkModel::unknownAlgorithm
    };

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

    std::vector<std::pair<WorkerId, TimeRange>> underWayOf(const CollectiveNode &node)
    {
        std::vector<std::pair<WorkerId, TimeRange>> ranges;
        if (node.tensor.empty() || node.name == MessageKind)
            return ranges;
        ranges.reserve(node.parts.size());
        for (const CollectiveNode::Part &part : node.parts)
            ranges.push_back({ part.worker, { part.startNs, part.endNs } });
        return ranges;
    }

    Transfer transferOf(const Graph &graph, const CollectiveNode &node, const Trace &trace)
    {
        const auto shape = shapeOf(node, static_cast<double>(node.bytes),
                                   static_cast<double>(node.rankCount()), trace);
        return { measuredTransfer(graph, node),
                 wireBytes(node, node.bytes, trace),
                 shape ? shape->steps : 0,
                 lateNsOf(node),
                 node.hasUnseenRanks(),
                 underWayOf(node),
                 shape ? std::string() : node.algorithm };
    }

    using Transfers = std::map<LinkClass, std::vector<Transfer>>;

    Transfers transfersOf(const Graph &graph, const Trace &trace)
    {
        Transfers transfers;
        for (const CollectiveNode &node : graph.collectives)
            if (node.bytes > 0)
                transfers[{ graph.device[node.transfer.value], node.name, reachOf(node, trace) }]
                    .push_back(transferOf(graph, node, trace));
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
        for (const Transfer &transfer : transfers)
            if (!transfer.unknownAlgorithm.empty())
                model.unknownAlgorithm = transfer.unknownAlgorithm;
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

    /// All of a CPU backend's transfers are on the hosts' one network; other links are networks of
    /// their own.
    std::optional<DeviceId> networkOf(const LinkClass &link, const LinkModel &model)
    {
        return model.isHostLink ? std::nullopt : std::optional(link.link);
    }

    /// Of collectives on links that are all alike: where some are slower, what a transfer takes
    /// beyond the slowest line's time may be waiting for that one, which goes with its rate; a
    /// message's may be waiting for others that share its link.
    double statedNsPerByte(const LinkModel &model, const Trace &trace)
    {
        const std::vector<double> rates = linkRatesMbit(trace);
        const bool areAlike
            = std::adjacent_find(rates.begin(), rates.end(), std::not_equal_to<>()) == rates.end();
        if (!model.nominalMbit || !model.isHostLink || !areAlike || model.kind == MessageKind)
            return 0;
        return tcpNsPerByte(*model.nominalMbit);
    }

    /// Of the kind that moves most bytes, as others' rates say less of their link.
    void setBandwidths(LinkModels &models)
    {
        std::map<std::optional<DeviceId>, const LinkModel *> largest;
        const auto bytesOf = [](const LinkModel &model) {
            return model.meanBytes * static_cast<double>(model.transfers);
        };
        for (const auto &[key, model] : models) {
            if (model.isWithinHost)
                continue;
            const LinkModel *&known = largest[networkOf(key, model)];
            if (known == nullptr || bytesOf(model) > bytesOf(*known))
                known = &model;
        }
        for (auto &[key, model] : models) {
            const LinkModel &like = model.isWithinHost ? model : *largest[networkOf(key, model)];
            model.bandwidthMbit = model.nominalMbit.value_or(derivedBandwidthMbit(like));
        }
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

    /// A time in which the link was busy without a pause.
    struct BusyPeriod
    {
        double durationNs = 0;
        double transfers = 0;
        double bytes = 0;
    };

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
            periods.back().transfers += 1;
            periods.back().bytes += transfer.bytes;
            busyUntilNs = endNs;
        }
        std::erase_if(periods,
                      [](const BusyPeriod &p) { return p.durationNs <= 0 || p.bytes <= 0; });
        return periods;
    }

    /// Normal equations of the rows (n, W) / T = 1.
    struct NormalEquations
    {
        double nn = 0, nw = 0, ww = 0, n = 0, w = 0;
    };

    NormalEquations normalEquations(const std::vector<BusyPeriod> &periods)
    {
        NormalEquations e;
        for (const BusyPeriod &p : periods) {
            const double n = p.transfers / p.durationNs;
            const double w = p.bytes / p.durationNs;
            e.nn += n * n;
            e.nw += n * w;
            e.ww += w * w;
            e.n += n;
            e.w += w;
        }
        return e;
    }

    void solve(const std::vector<BusyPeriod> &periods, LinkModel &model)
    {
        const NormalEquations e = normalEquations(periods);
        const double determinant = e.nn * e.ww - e.nw * e.nw;
        const bool isDetermined = determinant > 1e-6 * e.nn * e.ww;
        model.isAlphaFitted = isDetermined;
        if (isDetermined) {
            model.alphaNs = (e.n * e.ww - e.w * e.nw) / determinant;
            model.betaNsPerByte = (e.w * e.nn - e.n * e.nw) / determinant;
        }
        double ns = 0, bytes = 0;
        for (const BusyPeriod &p : periods) {
            ns += p.durationNs;
            bytes += p.bytes;
        }
        model.pooledBetaNsPerByte = ns / bytes;
        if (!isDetermined || model.alphaNs < 0 || model.betaNsPerByte <= 0) {
            model.isAlphaFitted = false;
            model.alphaNs = 0;
            model.betaNsPerByte = model.pooledBetaNsPerByte;
        }
    }

    /// Of beta, from the fit's residuals and, where alpha was fitted too, its covariance with it.
    /// With no residual left nothing is known: twice beta either way.
    void setInterval(const std::vector<BusyPeriod> &periods, double squares, LinkModel &model)
    {
        const std::size_t parameters = model.alphaNs > 0 ? 2 : 1;
        model.betaLow = 0;
        model.betaHigh = 2 * model.betaNsPerByte;
        if (periods.size() <= parameters)
            return;
        const NormalEquations e = normalEquations(periods);
        const double information = parameters == 2 ? e.ww - e.nw * e.nw / e.nn : e.ww;
        const std::size_t degrees = periods.size() - parameters;
        const double error
            = studentT95(degrees) * std::sqrt(squares / static_cast<double>(degrees) / information);
        model.betaLow = std::max(0.0, model.betaNsPerByte - error);
        model.betaHigh = model.betaNsPerByte + error;
    }

    /// How many a rank has under way while it has any, mean of all ranks: what a program's credit
    /// counts, also while other ranks have yet to begin theirs.
    double meanUnderWay(const std::vector<Transfer> &transfers)
    {
        std::map<WorkerId, std::vector<TimeRange>> ofRanks;
        for (const Transfer &transfer : transfers)
            for (const auto &[worker, range] : transfer.underWay)
                ofRanks[worker].push_back(range);
        double sum = 0;
        for (const auto &[worker, ranges] : ofRanks) {
            double ns = 0;
            for (const TimeRange &range : ranges)
                ns += static_cast<double>(range.durationNs());
            const std::int64_t anyNs = IntervalSet(ranges).lengthNs();
            sum += ns / static_cast<double>(std::max<std::int64_t>(1, anyNs));
        }
        return sum / static_cast<double>(std::max<std::size_t>(1, ofRanks.size()));
    }

    /// After the fit.
    void setQueue(const std::vector<Transfer> &transfers, LinkModel &model)
    {
        constexpr double Most = 64; // no backend has more threads
        const bool isQueue
            = std::all_of(transfers.begin(), transfers.end(),
                          [](const Transfer &transfer) { return !transfer.underWay.empty(); });
        if (!isQueue || model.lineNsPerByte <= 0)
            return;
        const double lineNs = model.lineNsPerByte * model.meanBytes;
        const double idleNs = model.pooledBetaNsPerByte * model.meanBytes - lineNs;
        const double underWay = std::clamp(meanUnderWay(transfers), 1.0, Most);
        model.queue = queuedTransfers(underWay, lineNs, idleNs);
    }

    void judge(const std::vector<BusyPeriod> &periods, LinkModel &model)
    {
        std::vector<double> errors;
        double squares = 0;
        for (const BusyPeriod &p : periods) {
            const double error
                = (p.transfers * model.alphaNs + p.bytes * model.betaNsPerByte) / p.durationNs - 1;
            errors.push_back(std::abs(error));
            squares += error * error;
        }
        std::nth_element(errors.begin(),
                         errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2),
                         errors.end());
        model.medianErrorFraction = errors[errors.size() / 2];
        setInterval(periods, squares, model);
    }

} // namespace

double tcpNsPerByte(double nominalMbit)
{
    return 8e3 / (nominalMbit * TcpPayloadShare);
}

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

double derivedBandwidthMbit(const LinkModel &model)
{
    constexpr double Whole = 100; // Mbit/s; of less, three digits
    const double mbit = model.rateMbit() / (model.isHostLink ? TcpPayloadShare : 1);
    if (mbit <= 0 || !std::isfinite(mbit))
        return 0;
    if (mbit >= Whole)
        return std::round(mbit);
    // A quotient is the nearest double to the decimal number that is shown; a product need not be.
    const double scale = std::pow(10, 2 - std::floor(std::log10(mbit)));
    return std::round(mbit * scale) / scale;
}

double wireBytes(std::string_view kind, std::uint64_t payloadBytes, std::size_t ranks)
{
    return transferShape(CollectiveAlgorithm::Ring, kind, static_cast<double>(payloadBytes),
                         static_cast<double>(ranks))
        .bytes;
}

std::optional<TransferShape> shapeOf(const CollectiveNode &node, double payloadBytes, double ranks,
                                     const Trace &trace)
{
    const bool isRing = node.algorithm.empty() || node.algorithm == "RING";
    return statedShape(node.algorithm, node.name, payloadBytes, ranks,
                       isRing ? std::nullopt : ranksOfHost(node, trace));
}

double wireBytes(const CollectiveNode &node, std::uint64_t payloadBytes, const Trace &trace)
{
    const auto stated = shapeOf(node, static_cast<double>(payloadBytes),
                                static_cast<double>(node.rankCount()), trace);
    return stated ? stated->bytes : wireBytes(node.name, payloadBytes, node.rankCount());
}

const LinkModel *modelOf(const LinkModels &links, DeviceId link, const CollectiveNode &node,
                         const Trace &trace)
{
    for (const LinkReach reach : { reachOf(node, trace), LinkReach::All })
        if (const auto found = links.find({ link, node.name, reach }); found != links.end())
            return &found->second;
    return nullptr;
}

LinkModels fitLinks(const Graph &graph, const Trace &trace)
{
    LinkModels models;
    for (const auto &[key, list] : joinedClasses(transfersOf(graph, trace))) {
        const std::vector<BusyPeriod> periods = busyPeriods(list);
        if (periods.empty())
            continue;
        LinkModel model;
        model.group = linkClassName(graph, key);
        model.kind = key.kind;
        model.isWithinHost = key.reach == LinkReach::WithinHost;
        if (!model.isWithinHost)
            model.nominalMbit = nominalBandwidthMbit(trace);
        model.isHostLink = graph.devices[key.link.value].isHostLink;
        model.lineNsPerByte = statedNsPerByte(model, trace);
        setSizes(list, model);
        solve(periods, model);
        setQueue(list, model);
        judge(periods, model);
        setUnseenWait(list, model);
        models.emplace(key, model);
    }
    setBandwidths(models);
    return models;
}

} // namespace core
