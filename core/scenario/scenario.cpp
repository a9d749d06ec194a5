#include "core/scenario/scenario.h"

#include "core/base/error.h"
#include "core/model/step_marks.h"
#include "core/scenario/daydream.h"
#include "core/scenario/interference.h"
#include "core/scenario/iteration_time.h"
#include "core/scenario/link_model.h"
#include "core/scenario/parts.h"
#include "core/scenario/rebucket.h"
#include "core/scenario/rewrite.h"
#include "core/scenario/transfers.h"
#include "core/scenario/trust.h"
#include "core/scenario/uncertainty.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace core {

namespace {

    void setRanks(const Trace &trace, ScenarioResult &result)
    {
        for (const Worker &worker : trace.workers) {
            if (measuredIterations(trace, worker.id).empty())
                continue; // it has no iteration of its own
            const auto periods = replayedIterations(*result.graph, *result.replay, worker.id);
            const RankPrediction rank { worker.rank, medianNs(measuredIterations(trace, worker.id)),
                                        medianNs(periods) };
            result.ranks.push_back(rank);
            result.measuredNs = std::max(result.measuredNs, rank.measuredNs);
            result.predictedNs = std::max(result.predictedNs, rank.predictedNs);
        }
        std::stable_sort(
            result.ranks.begin(), result.ranks.end(),
            [](const RankPrediction &a, const RankPrediction &b) { return a.rank < b.rank; });
    }

    /// The iteration that a prediction speaks of: that of the slowest rank whose replayed period is
    /// nearest to the rank's median; of equally near ones the last.
    struct TypicalIteration
    {
        std::size_t end = 0; ///< into Graph::iterationEnds
        std::int64_t beginNs = 0;
    };

    TypicalIteration typicalIteration(const Graph &graph, const ReplayResult &replayed)
    {
        TypicalIteration typical;
        std::int64_t slowestNs = -1;
        for (std::uint32_t w = 0; w < graph.workerCount(); ++w) {
            const std::vector<std::int64_t> periods
                = replayedIterations(graph, replayed, WorkerId(w));
            const std::int64_t medianPeriodNs = medianNs(periods);
            if (medianPeriodNs <= slowestNs)
                continue;
            slowestNs = medianPeriodNs;
            std::size_t nearest = 0;
            for (std::size_t i = 1; i < periods.size(); ++i)
                if (std::abs(periods[i] - slowestNs) <= std::abs(periods[nearest] - slowestNs))
                    nearest = i;
            typical.end = w * periods.size() + nearest;
            typical.beginNs = replayed.iterationEndNs[typical.end] - periods[nearest];
        }
        return typical;
    }

    /// The causes of the typical iteration's end, as far back as that iteration reaches.
    std::vector<OpId> typicalIterationPath(const Graph &graph, const ReplayResult &replayed)
    {
        const TypicalIteration typical = typicalIteration(graph, replayed);
        std::vector<OpId> path = criticalPath(graph, replayed, graph.iterationEnds[typical.end]);
        std::erase_if(path, [&](OpId op) { return replayed.endNs[op.value] <= typical.beginNs; });
        return path;
    }

} // namespace

SettingObstacles settingObstacles(const Graph &graph, const std::vector<LinkModel> &links)
{
    SettingObstacles obstacles;
    obstacles.buckets = rebucketObstacle(graph);
    if (links.empty()) {
        obstacles.bandwidth = std::string(NoLinkText);
        if (!obstacles.buckets) // its transfers would have no cost
            obstacles.buckets = obstacles.bandwidth;
    }
    for (const LinkModel &link : links) {
        if (!obstacles.bandwidth)
            obstacles.bandwidth = rateObstacle(link);
        if (!obstacles.latency)
            obstacles.latency = latencyObstacle(link);
    }
    obstacles.worldSize = links.empty() ? obstacles.bandwidth : worldSizeObstacle(graph);
    obstacles.collective = links.empty() ? obstacles.bandwidth : collectiveObstacle(links);
    if (links.empty())
        obstacles.latency = obstacles.bandwidth;
    obstacles.hostOverhead = hostObstacle(graph);
    return obstacles;
}

std::int64_t predictIterationNs(const Trace &trace, const Graph &measured,
                                const ScenarioSettings &settings, const JobControl &control)
{
    const LinkModels links = fitLinks(measured, trace);
    const auto base = std::make_shared<const Graph>(withInterference(measured, trace, links));
    const auto graph = rewritten(trace, base, links, settings);
    return slowestRankNs(*graph, replay(*graph, control));
}

ScenarioResult runScenario(const Trace &trace, std::shared_ptr<const Graph> measured,
                           const ScenarioSettings &settings, const JobControl &control)
{
    if (measured->iterationCount == 0)
        throw Error("The trace has no iteration that every rank recorded; nothing to replay.");
    const LinkModels links = fitLinks(*measured, trace);
    const auto base = std::make_shared<const Graph>(withInterference(*measured, trace, links));
    ScenarioResult result;
    result.settings = settings;
    result.hasIterations = hasKnownIterations(trace);
    for (const auto &[key, model] : links)
        result.links.push_back(model);
    control.report(0.1, "replay");
    const auto self = std::make_shared<ReplayResult>(replay(*base, control));
    std::int64_t measuredNs = 0;
    for (const Worker &worker : trace.workers)
        measuredNs = std::max(measuredNs, medianNs(measuredIterations(trace, worker.id)));
    result.replayErrorFraction = static_cast<double>(slowestRankNs(*base, *self) - measuredNs)
        / static_cast<double>(std::max<std::int64_t>(1, measuredNs));

    result.graph = rewritten(trace, base, links, settings);
    control.report(0.5, "replay");
    result.replay = result.graph == base
        ? self
        : std::make_shared<ReplayResult>(replay(*result.graph, control));
    result.daydreamNs = daydreamIterationNs(trace, measured, links, settings, control);
    setRanks(trace, result);
    const std::int64_t halfNs = halfIntervalNs(trace, *measured, links, result, control);
    result.ciLowNs = std::max<std::int64_t>(0, result.predictedNs - halfNs);
    result.ciHighNs = result.predictedNs + halfNs;
    judgeTrust({ trace, *result.graph, measuredParts(*measured), replayedParts(*base, *self) },
               result);
    result.measuredParts = measuredParts(*measured);
    result.predictedParts = replayedParts(*result.graph, *result.replay);
    result.schedulingEfficiency = schedulingEfficiency(*result.graph, *result.replay);
    result.criticalPath = typicalIterationPath(*result.graph, *result.replay);
    result.timeOriginNs = std::numeric_limits<std::int64_t>::max();
    for (const OpId begin : measured->iterationBegins)
        result.timeOriginNs = std::min(result.timeOriginNs, measured->measuredStartNs[begin.value]);
    return result;
}

} // namespace core
