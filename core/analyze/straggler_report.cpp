#include "core/analyze/straggler_report.h"

#include "core/scenario/graph_edits.h"
#include "core/scenario/rewrite.h"

#include <algorithm>

namespace core {

namespace {

    constexpr std::size_t MostOpTypes = 10; ///< of a rank

    /// What the ranks are compared by, found once for all of them.
    struct RankWork
    {
        std::vector<std::int64_t> totalNs; ///< by WorkerId
        std::int64_t medianNs; ///< of totalNs
        std::vector<OwnWork> works;
        std::vector<std::int64_t> medianNsOfWork; ///< [works]
    };

    RankWork rankWork(const Graph &graph, const JobControl &control)
    {
        RankWork work;
        work.totalNs = ownWorkNs(graph);
        work.medianNs = medianOfRanks(work.totalNs, work.totalNs);
        work.works = ownWorkByName(graph);
        work.medianNsOfWork.reserve(work.works.size());
        for (const OwnWork &own : work.works) {
            throwIfCancelled(control);
            work.medianNsOfWork.push_back(medianOfRanks(own.ns, work.totalNs));
        }
        return work;
    }

    RankSlowdown slowdownOf(const Worker &worker, const Graph &graph, const RankWork &work)
    {
        const std::int64_t iterations = std::max(1, graph.iterationCount);
        RankSlowdown own;
        own.rank = worker.rank;
        own.ownWorkNs = work.totalNs[worker.id.value] / iterations;
        own.medianNs = work.medianNs / iterations;
        for (std::size_t i = 0; i < work.works.size(); ++i) {
            const std::int64_t ns = work.works[i].ns[worker.id.value] / iterations;
            const std::int64_t medianNs = work.medianNsOfWork[i] / iterations;
            if (ns > medianNs)
                own.ops.push_back({ graph.names[work.works[i].name.value], ns, medianNs });
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
    const RankWork work = rankWork(*base.graph, control);
    for (const Worker &worker : trace.workers) {
        throwIfCancelled(control);
        if (worker.id.value < work.totalNs.size() && work.totalNs[worker.id.value] > 0)
            report.ranks.push_back(slowdownOf(worker, *base.graph, work));
    }
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
