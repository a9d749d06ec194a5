#include "core/analyze/straggler_report.h"

#include "core/scenario/graph_edits.h"
#include "core/scenario/rewrite.h"

#include <algorithm>

namespace core {

namespace {

    constexpr std::size_t MostOpTypes = 10; ///< of a rank

    RankSlowdown slowdownOf(const Worker &worker, const Graph &graph,
                            const std::vector<std::int64_t> &totalNs,
                            const std::vector<OwnWork> &works)
    {
        const std::int64_t iterations = std::max(1, graph.iterationCount);
        RankSlowdown own;
        own.rank = worker.rank;
        own.ownWorkNs = totalNs[worker.id.value] / iterations;
        own.medianNs = medianOfRanks(totalNs, totalNs) / iterations;
        for (const OwnWork &work : works) {
            const std::int64_t ns = work.ns[worker.id.value] / iterations;
            const std::int64_t medianNs = medianOfRanks(work.ns, totalNs) / iterations;
            if (ns > medianNs)
                own.ops.push_back({ graph.names[work.name.value], ns, medianNs });
        }
        std::stable_sort(own.ops.begin(), own.ops.end(), [](const auto &a, const auto &b) {
            return a.ns - a.medianNs > b.ns - b.medianNs;
        });
        own.ops.resize(std::min(own.ops.size(), MostOpTypes));
        return own;
    }

} // namespace

StragglerReport stragglerReport(const Trace &trace, const ScenarioBase &base,
                                const JobControl &control)
{
    StragglerReport report;
    const std::vector<std::int64_t> totalNs = ownWorkNs(*base.graph);
    const std::vector<OwnWork> works = ownWorkByName(*base.graph);
    for (const Worker &worker : trace.workers)
        if (worker.id.value < totalNs.size() && totalNs[worker.id.value] > 0)
            report.ranks.push_back(slowdownOf(worker, *base.graph, totalNs, works));
    std::stable_sort(report.ranks.begin(), report.ranks.end(),
                     [](const auto &a, const auto &b) { return a.rank < b.rank; });
    if (const auto obstacle = peersObstacle(*base.graph)) {
        report.obstacle = *obstacle;
        return report;
    }
    ScenarioSettings settings;
    settings.idealPeers = 1;
    report.idealNs = predictIterationNs(trace, base, settings, control);
    return report;
}

} // namespace core
