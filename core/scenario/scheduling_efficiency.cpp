#include "core/scenario/scheduling_efficiency.h"

#include <algorithm>
#include <map>

namespace core {

namespace {

    /// What an op keeps its device busy for: between ops of one device that follow each other, the
    /// host's own time is its work, too.
    std::int64_t loadNs(const Graph &graph, const ReplayResult &result, std::size_t op)
    {
        const OpId cause = result.cause[op].op;
        const bool isInChain = cause != NoOp && graph.device[cause.value] == graph.device[op];
        return graph.durationNs[op] + (isInChain ? graph.delayNs[op] : 0);
    }

    SchedulingEfficiency efficiencyOf(double serialNs, double busiestNs, double makespanNs)
    {
        if (serialNs <= busiestNs || busiestNs <= 0)
            return {};
        return { std::clamp((serialNs - makespanNs) / (serialNs - busiestNs), 0.0, 1.0),
                 (serialNs - busiestNs) / busiestNs };
    }

    template <class Loads>
    SchedulingEfficiency efficiencyOf(const Loads &loads, std::int64_t makespanNs)
    {
        double serialNs = 0, busiestNs = 0;
        for (const auto &[device, ns] : loads) {
            serialNs += static_cast<double>(ns);
            busiestNs = std::max(busiestNs, static_cast<double>(ns));
        }
        return efficiencyOf(serialNs, busiestNs, static_cast<double>(makespanNs));
    }

    using Loads = std::map<DeviceId, std::int64_t>;

    /// By WorkerId. A collective's transfer is one on each rank that takes part.
    std::vector<Loads> loadsOfWorkers(const Graph &graph, const ReplayResult &result)
    {
        std::vector<Loads> loads(graph.workerCount());
        std::vector<bool> isOfCollective(graph.size(), false);
        for (const CollectiveNode &node : graph.collectives) {
            const std::size_t transfer = node.transfer.value;
            isOfCollective[transfer] = true;
            for (const CollectiveNode::Part &part : node.parts)
                loads[part.worker.value][graph.device[transfer]] += graph.durationNs[transfer];
        }
        for (std::size_t op = 0; op < graph.size(); ++op)
            if (graph.kind[op] != OpKind::Virtual && !isOfCollective[op])
                loads[graph.worker[op].value][graph.device[op]] += loadNs(graph, result, op);
        return loads;
    }

    std::int64_t makespanOf(const Graph &graph, const ReplayResult &result, std::size_t worker)
    {
        const auto count = static_cast<std::size_t>(graph.iterationCount);
        if (count == 0)
            return 0;
        return result.iterationEndNs[worker * count + count - 1]
            - result.endNs[graph.iterationBegins[worker].value];
    }

} // namespace

SchedulingEfficiency schedulingEfficiency(const Graph &graph, const ReplayResult &result)
{
    Loads loads;
    for (std::size_t op = 0; op < graph.size(); ++op)
        if (graph.kind[op] != OpKind::Virtual)
            loads[graph.device[op]] += loadNs(graph, result, op);
    return efficiencyOf(loads, result.makespanNs);
}

std::vector<RankEfficiency> rankEfficiencies(const Trace &trace, const Graph &graph,
                                             const ReplayResult &result)
{
    const std::vector<Loads> loads = loadsOfWorkers(graph, result);
    std::vector<RankEfficiency> ranks;
    for (const Worker &worker : trace.workers) {
        const Loads &own = loads[worker.id.value];
        RankEfficiency rank;
        rank.rank = worker.rank;
        rank.makespanNs = makespanOf(graph, result, worker.id.value);
        rank.scheduling = efficiencyOf(own, rank.makespanNs);
        double serialNs = 0;
        for (const auto &[device, ns] : own)
            serialNs += static_cast<double>(ns);
        for (const auto &[device, ns] : own)
            if (ns > 0)
                rank.devices.push_back({ graph.devices[device.value].name, ns,
                                         efficiencyOf(serialNs, static_cast<double>(ns),
                                                      static_cast<double>(rank.makespanNs)) });
        std::stable_sort(rank.devices.begin(), rank.devices.end(),
                         [](const auto &a, const auto &b) { return a.loadNs > b.loadNs; });
        ranks.push_back(std::move(rank));
    }
    std::stable_sort(ranks.begin(), ranks.end(),
                     [](const auto &a, const auto &b) { return a.rank < b.rank; });
    return ranks;
}

} // namespace core
