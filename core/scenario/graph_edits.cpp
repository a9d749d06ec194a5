#include "core/scenario/graph_edits.h"

#include "core/base/interval_set.h"
#include "core/scenario/bounded_time.h"
#include "core/scenario/iteration_time.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace core {

namespace {

    bool isTransfer(const Graph &graph, std::size_t op)
    {
        return graph.kind[op] == OpKind::Communication;
    }

    /// Which ops are a rank's own work, that a faster or slower rank changes: what streams and
    /// threads do that compute. Threads that only poll (a backend's watchdog) wait most of the
    /// time. Where no rank computes, that is what they do between transfers.
    std::vector<bool> ownWork(const Graph &graph)
    {
        std::vector<bool> isWorking(graph.devices.size(), false);
        for (std::size_t op = 0; op < graph.size(); ++op)
            if (graph.kind[op] == OpKind::Compute)
                isWorking[graph.device[op].value] = true;
        if (std::find(isWorking.begin(), isWorking.end(), true) == isWorking.end())
            isWorking.assign(isWorking.size(), true);
        std::vector<bool> isOwn(graph.size(), false);
        for (std::size_t op = 0; op < graph.size(); ++op) {
            const std::size_t device = graph.device[op].value;
            isOwn[op]
                = isWorking[device] && !graph.devices[device].isLink && !isTransfer(graph, op);
        }
        return isOwn;
    }

    using Family = std::tuple<NameId, Phase, bool>;

    Family familyOf(const Graph &graph, std::size_t op)
    {
        return { graph.name[op], graph.phase[op], graph.devices[graph.device[op].value].isStream };
    }

    /// Sums of an op family on every worker, and their medians over those with work of their own.
    struct FamilyTimes
    {
        std::vector<std::int64_t> durationNs, delayNs; ///< by WorkerId
        std::int64_t medianDurationNs = 0, medianDelayNs = 0;
    };

    std::map<Family, FamilyTimes> familyTimes(const Graph &graph)
    {
        std::map<Family, FamilyTimes> families;
        const std::vector<bool> isOwn = ownWork(graph);
        for (std::size_t op = 0; op < graph.size(); ++op) {
            if (!isOwn[op])
                continue;
            FamilyTimes &times = families[familyOf(graph, op)];
            times.durationNs.resize(graph.workerCount(), 0);
            times.delayNs.resize(graph.workerCount(), 0);
            times.durationNs[graph.worker[op].value] += graph.durationNs[op];
            times.delayNs[graph.worker[op].value] += graph.delayNs[op];
        }
        return families;
    }

    /// With the medians, which do not depend on the op that is scaled.
    std::map<Family, FamilyTimes> comparedFamilies(const Graph &graph,
                                                   const std::vector<std::int64_t> &workNs)
    {
        std::map<Family, FamilyTimes> families = familyTimes(graph);
        for (auto &[family, times] : families) {
            times.medianDurationNs = medianOfRanks(times.durationNs, workNs);
            times.medianDelayNs = medianOfRanks(times.delayNs, workNs);
        }
        return families;
    }

    std::int64_t scaled(std::int64_t ns, std::int64_t from, std::int64_t to)
    {
        if (from <= 0)
            return ns;
        return std::llround(static_cast<double>(ns) * static_cast<double>(to)
                            / static_cast<double>(from));
    }

    /// By WorkerId: when a rank has come to a collective and others have not. Aligned.
    std::vector<IntervalSet> waitingOfRanks(const Graph &graph)
    {
        std::vector<std::vector<TimeRange>> waits(graph.workerCount());
        for (const CollectiveNode &node : graph.collectives)
            for (const CollectiveNode::Part &part : node.parts)
                waits[part.worker.value].push_back(
                    { part.startNs, graph.measuredStartNs[node.transfer.value] });
        std::vector<IntervalSet> sets;
        sets.reserve(waits.size());
        for (std::vector<TimeRange> &ranges : waits)
            sets.emplace_back(std::move(ranges));
        return sets;
    }

    std::int64_t overlapNs(const IntervalSet &set, const TimeRange &range)
    {
        const std::vector<TimeRange> &all = set.intervals();
        auto at = std::lower_bound(
            all.begin(), all.end(), range.startNs,
            [](const TimeRange &interval, std::int64_t ns) { return interval.endNs <= ns; });
        std::int64_t sumNs = 0;
        for (; at != all.end() && at->startNs < range.endNs; ++at)
            sumNs += std::min(at->endNs, range.endNs) - std::max(at->startNs, range.startNs);
        return sumNs;
    }

    /// A thread that only polls would go on setting the pace where a wait for it was inferred: of
    /// an accelerated rank's polling goes what it does while the rank waits for others.
    void shortenPolling(Graph &graph, const std::vector<bool> &isOwn)
    {
        const std::vector<bool> isAccelerated = acceleratedWorkers(graph);
        const std::vector<IntervalSet> waiting = waitingOfRanks(graph);
        for (std::size_t op = 0; op < graph.size(); ++op) {
            const std::size_t worker = graph.worker[op].value;
            if (isOwn[op] || isTransfer(graph, op) || !isAccelerated[worker])
                continue;
            const TimeRange polling { graph.measuredStartNs[op] - graph.delayNs[op],
                                      graph.measuredStartNs[op] };
            graph.delayNs[op] -= overlapNs(waiting[worker], polling);
        }
    }

    bool hasOnlyHostOrder(const Graph &graph, OpId op)
    {
        const auto preds = graph.predecessors(op);
        return std::all_of(preds.begin(), preds.end(),
                           [](const Edge &edge) { return edge.kind == EdgeKind::HostOrder; });
    }

} // namespace

std::int64_t medianOfRanks(const std::vector<std::int64_t> &valueNs,
                           const std::vector<std::int64_t> &workNs)
{
    std::vector<std::int64_t> ofRanks;
    for (std::size_t worker = 0; worker < valueNs.size(); ++worker)
        if (workNs[worker] > 0)
            ofRanks.push_back(valueNs[worker]);
    return medianNs(std::move(ofRanks));
}

std::vector<std::int64_t> ownWorkNs(const Graph &graph)
{
    std::vector<std::int64_t> total(graph.workerCount(), 0);
    const std::vector<bool> isOwn = ownWork(graph);
    for (std::size_t op = 0; op < graph.size(); ++op)
        if (isOwn[op])
            total[graph.worker[op].value] += graph.durationNs[op] + graph.delayNs[op];
    return total;
}

std::vector<OwnWork> ownWorkByName(const Graph &graph)
{
    std::map<NameId, std::vector<std::int64_t>> byName;
    for (const auto &[family, times] : familyTimes(graph)) {
        std::vector<std::int64_t> &ns = byName[std::get<NameId>(family)];
        ns.resize(graph.workerCount(), 0);
        for (std::size_t worker = 0; worker < ns.size(); ++worker)
            ns[worker] += times.durationNs[worker] + times.delayNs[worker];
    }
    std::vector<OwnWork> works;
    works.reserve(byName.size());
    for (auto &[name, ns] : byName)
        works.push_back({ name, std::move(ns) });
    return works;
}

Graph withScaledTransfers(Graph graph, double factor)
{
    if (factor == 0)
        graph.slowdown = 1; // what takes no time takes no cores
    for (std::size_t op = 0; op < graph.size(); ++op)
        if (isTransfer(graph, op)) {
            graph.durationNs[op] = scaledBy(graph.durationNs[op], factor);
            if (graph.bytesOf(OpId(static_cast<std::uint32_t>(op))) > 0) // a slice's latency
                graph.delayNs[op] = scaledBy(graph.delayNs[op], factor);
        }
    return graph;
}

Graph withHostOverhead(Graph graph, double factor)
{
    const std::vector<bool> isAccelerated = acceleratedWorkers(graph);
    for (std::size_t op = 0; op < graph.size(); ++op) {
        const Device &device = graph.devices[graph.device[op].value];
        if (device.isLink || device.isStream || isTransfer(graph, op))
            continue;
        if (isAccelerated[graph.worker[op].value]) {
            graph.durationNs[op] = scaledBy(graph.durationNs[op], factor);
            graph.delayNs[op] = scaledBy(graph.delayNs[op], factor);
        } else if (hasOnlyHostOrder(graph, OpId(static_cast<std::uint32_t>(op)))) {
            graph.delayNs[op] = scaledBy(graph.delayNs[op], factor);
        }
    }
    return graph;
}

Graph withScaledPhase(Graph graph, Phase phase, double factor)
{
    for (std::size_t op = 0; op < graph.size(); ++op)
        if (graph.phase[op] == phase)
            graph.durationNs[op] = scaledBy(graph.durationNs[op], factor);
    return graph;
}

Graph withIdealPeers(Graph graph)
{
    const std::vector<std::int64_t> measured = ownWorkNs(graph);
    const std::map<Family, FamilyTimes> families = comparedFamilies(graph, measured);
    const std::vector<bool> isOwn = ownWork(graph);
    for (std::size_t op = 0; op < graph.size(); ++op) {
        if (!isOwn[op])
            continue;
        const FamilyTimes &times = families.at(familyOf(graph, op));
        const std::size_t worker = graph.worker[op].value;
        graph.durationNs[op]
            = scaled(graph.durationNs[op], times.durationNs[worker], times.medianDurationNs);
        graph.delayNs[op] = scaled(graph.delayNs[op], times.delayNs[worker], times.medianDelayNs);
    }
    shortenPolling(graph, isOwn);
    // Hiccups hit another family on each rank, and no median holds them: the whole has to come out
    // as on the median rank, too.
    const std::int64_t typicalNs = medianOfRanks(measured, measured);
    const std::vector<std::int64_t> made = ownWorkNs(graph);
    for (std::size_t op = 0; op < graph.size(); ++op) {
        if (!isOwn[op])
            continue;
        const std::int64_t fromNs = made[graph.worker[op].value];
        graph.durationNs[op] = scaled(graph.durationNs[op], fromNs, typicalNs);
        graph.delayNs[op] = scaled(graph.delayNs[op], fromNs, typicalNs);
    }
    return graph;
}

std::size_t ranksWithOwnWork(const Graph &graph)
{
    const std::vector<std::int64_t> workNs = ownWorkNs(graph);
    return static_cast<std::size_t>(
        std::count_if(workNs.begin(), workNs.end(), [](std::int64_t ns) { return ns > 0; }));
}

std::vector<std::int64_t> excessWorkNs(const Graph &graph)
{
    std::vector<std::int64_t> excess = ownWorkNs(graph);
    const std::int64_t typicalNs = medianOfRanks(excess, excess);
    for (std::int64_t &ns : excess)
        ns -= typicalNs;
    return excess;
}

} // namespace core
