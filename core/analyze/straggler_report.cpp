#include "core/analyze/straggler_report.h"

#include "core/analyze/delay_parts.h"
#include "core/scenario/own_work.h"
#include "core/scenario/rewrite.h"

#include <algorithm>

namespace core {

namespace {

    constexpr std::size_t MostOpTypes = 10; ///< of a rank

    /// What a family takes a rank longer than the median rank, sums over the graph.
    struct SlowOps
    {
        WorkFamily family;
        std::int64_t ns, medianNs;
        std::int64_t excessNs() const { return ns - medianNs; }
    };

    /// Leaves those that cost most, largest first; alike ones in the order of their names.
    void keepWorst(std::vector<SlowOps> &ops)
    {
        std::stable_sort(ops.begin(), ops.end(), [](const SlowOps &a, const SlowOps &b) {
            return a.excessNs() > b.excessNs();
        });
        ops.resize(std::min(ops.size(), MostOpTypes));
    }

    /// By WorkerId: the families that cost the rank most.
    std::vector<std::vector<SlowOps>> worstOps(const Trace &trace, const Graph &graph,
                                               const JobControl &control)
    {
        std::vector<std::vector<SlowOps>> ops(graph.workerCount());
        const std::size_t ranks = ranksWithOwnWork(graph);
        std::vector<std::int64_t> sumsNs;
        visitOwnWork(graph, delayParts(trace, graph),
                     [&](WorkFamily family, const std::vector<WorkShare> &shares) {
                         throwIfCancelled(control);
                         sumsNs.clear();
                         for (const WorkShare &share : shares)
                             sumsNs.push_back(share.ns);
                         const std::int64_t medianNs = medianOfRanks(sumsNs, ranks);
                         for (const WorkShare &share : shares) {
                             std::vector<SlowOps> &ofRank = ops[share.worker.value];
                             if (share.ns > medianNs)
                                 ofRank.push_back({ family, share.ns, medianNs });
                             if (ofRank.size() >= 4 * MostOpTypes)
                                 keepWorst(ofRank);
                         }
                     });
        for (std::vector<SlowOps> &ofRank : ops)
            keepWorst(ofRank);
        return ops;
    }

    std::string familyText(const Graph &graph, const WorkFamily &family)
    {
        const std::string &name = graph.names[family.name.value];
        return family.isGap ? "no operation before " + name : name;
    }

    std::vector<OpTypeSlowdown> perIteration(const std::vector<SlowOps> &ops, const Graph &graph)
    {
        const std::int64_t iterations = std::max(1, graph.iterationCount);
        std::vector<OpTypeSlowdown> slowdowns;
        slowdowns.reserve(ops.size());
        for (const SlowOps &slow : ops)
            if (slow.ns / iterations > slow.medianNs / iterations)
                slowdowns.push_back({ familyText(graph, slow.family), slow.ns / iterations,
                                      slow.medianNs / iterations });
        return slowdowns;
    }

} // namespace

StragglerReport stragglerReport(const Trace &trace, const ScenarioBase &base,
                                const JobControl &control)
{
    StragglerReport report;
    const Graph &graph = *base.graph;
    const std::vector<std::int64_t> workNs = ownWorkNs(graph);
    const std::int64_t medianNs = medianOfWorking(workNs);
    const std::int64_t iterations = std::max(1, graph.iterationCount);
    const std::vector<std::vector<SlowOps>> ops = worstOps(trace, graph, control);
    for (const Worker &worker : trace.workers) {
        const std::size_t w = worker.id.value;
        if (w < workNs.size() && workNs[w] > 0)
            report.ranks.push_back({ worker.rank, workNs[w] / iterations, medianNs / iterations,
                                     perIteration(ops[w], graph) });
    }
    std::stable_sort(report.ranks.begin(), report.ranks.end(),
                     [](const auto &a, const auto &b) { return a.rank < b.rank; });
    if (const auto obstacle = peersObstacle(graph)) {
        report.obstacle = *obstacle;
        return report;
    }
    ScenarioSettings settings;
    settings.idealPeers = 1;
    report.idealNs = predictIterationNs(trace, base, settings, control);
    return report;
}

} // namespace core
