#include "core/base/median_ns.h"
#include "core/change/gradients/horovod_fusion.h"
#include "core/change/gradients/partition_schedule.h"
#include "core/change/gradients/rebucket.h"
#include "core/change/ideal_pipeline.h"
#include "core/change/rewrite.h"
#include "core/change/transfers/transfers.h"
#include "core/fit/links/link_models.h"
#include "core/measure/iteration_time.h"
#include "core/measure/parts.h"
#include "core/measure/typical_iteration.h"
#include "core/model/compared_iterations.h"
#include "core/model/step_marks.h"
#include "core/predict/daydream.h"
#include "core/predict/no_change.h"
#include "core/predict/prediction_base.h"
#include "core/predict/run_scenario.h"
#include "core/predict/slower_without_cause.h"
#include "core/predict/trust.h"
#include "core/predict/uncertainty.h"
#include "core/replay/graph_change.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

namespace core {

namespace {

    void setRanks(const Trace &trace, const MeasuredIterations &measured, ScenarioResult &result)
    {
        for (const Worker &worker : trace.workers) {
            const std::optional<std::int64_t> &measuredNs = measured[worker.id.value];
            if (!measuredNs)
                continue; // it has no iteration of its own
            const RankPrediction rank { worker.rank, *measuredNs,
                                        result.iterations[worker.id.value].typicalNs };
            result.ranks.push_back(rank);
            result.measuredNs = std::max(result.measuredNs, rank.measuredNs);
            result.predictedNs = std::max(result.predictedNs, rank.predictedNs);
        }
        std::stable_sort(
            result.ranks.begin(), result.ranks.end(),
            [](const RankPrediction &a, const RankPrediction &b) { return a.rank < b.rank; });
    }

    /// Only looked at with another batch.
    FixedTime fixedTimeFor(const ScenarioSettings &settings, const ScenarioBase &base)
    {
        return settings.batchScale ? fixedTimeOf(*base.graph, base.work.batch) : FixedTime {};
    }

    /// Of the unchanged job. The mean only where it is over the same iterations.
    std::vector<ReplayedTotal> replayedTotals(const Trace &trace, const ScenarioBase &base)
    {
        std::vector<ReplayedTotal> totals;
        totals.reserve(trace.workers.size() + 1);
        for (const Worker &worker : trace.workers)
            if (const std::optional<std::int64_t> &measuredNs = base.measured[worker.id.value])
                totals.push_back({ *measuredNs, base.iterations[worker.id.value].typicalNs,
                                   "rank " + std::to_string(worker.rank) });
        const bool areSame = std::all_of(
            base.iterations.begin(), base.iterations.end(),
            [](const ReplayedIterations &own) { return own.warmUp == 0 && own.kept.empty(); });
        if (areSame)
            totals.push_back({ wholeNs(base.measuredParts), wholeNs(base.replayedParts),
                               "the mean of all iterations" });
        return totals;
    }

    /// [workers]; those that the prediction counts.
    std::vector<CountedIterations> countedIterations(const ScenarioResult &result)
    {
        std::vector<CountedIterations> all(result.iterations.size());
        for (std::size_t worker = 0; worker < all.size(); ++worker) {
            const ReplayedIterations &own = result.iterations[worker];
            for (std::size_t i = 0; i < own.endNs.size(); ++i)
                if (result.counts(i))
                    all[worker].push_back({ own.endNs[i] - own.periodNs[i], own.endNs[i] });
        }
        return all;
    }

} // namespace

std::vector<OpId> iterationPath(const ScenarioResult &result, std::size_t i)
{
    const auto slowest
        = std::max_element(result.iterations.begin(), result.iterations.end(),
                           [i](const ReplayedIterations &a, const ReplayedIterations &b) {
                               return a.periodNs[i] < b.periodNs[i];
                           });
    std::vector<OpId> path;
    if (slowest == result.iterations.end())
        return path;
    const ReplayResult &replay = *result.replay;
    // Accelerators may end it later than the host by as much as in the unchanged job.
    const OpId last = slowest->lastOp[i];
    const std::int64_t beginNs = replay.endNs[last.value] - slowest->periodNs[i];
    for (OpId op = last; op != NoOp && replay.endNs[op.value] > beginNs;
         op = replay.cause[op.value].op)
        path.push_back(op);
    std::reverse(path.begin(), path.end());
    return path;
}

SettingObstacles settingObstacles(const Graph &graph, const std::vector<LinkModel> &links)
{
    SettingObstacles obstacles;
    obstacles.buckets = rebucketObstacle(graph);
    obstacles.fusion = fusionObstacle(graph);
    obstacles.schedule = sliceObstacle(graph);
    if (links.empty()) {
        obstacles.bandwidth = noLinkObstacle(graph);
        if (!obstacles.buckets) // its transfers would have no cost
            obstacles.buckets = obstacles.fusion = obstacles.schedule = obstacles.bandwidth;
    }
    for (const LinkModel &link : links) {
        if (!obstacles.bandwidth)
            obstacles.bandwidth = rateObstacle(link);
        if (!obstacles.bandwidth)
            obstacles.bandwidth = statedRateObstacle(link);
        if (!obstacles.latency)
            obstacles.latency = latencyObstacle(link);
    }
    obstacles.worldSize = links.empty() ? obstacles.bandwidth : worldSizeObstacle(graph, links);
    obstacles.collective = links.empty() ? obstacles.bandwidth : collectiveObstacle(graph, links);
    if (links.empty())
        obstacles.latency = obstacles.bandwidth;
    obstacles.hostOverhead = hostObstacle(graph);
    obstacles.idealPeers = peersObstacle(graph);
    obstacles.idealPipeline = pipelineObstacle(graph);
    obstacles.comm = commObstacle(graph);
    obstacles.input = inputObstacle(graph);
    obstacles.expand = expandObstacle(graph);
    return obstacles;
}

ScenarioResult runScenario(const Trace &trace, std::shared_ptr<const Graph> measured,
                           const ScenarioSettings &settings, const JobControl &control)
{
    return runScenario(trace, measured, scenarioBase(trace, *measured, control.part(0, 0.4)),
                       settings, control.part(0.4, 1));
}

ScenarioResult predictScenario(const Trace &trace, const Graph &measured, const ScenarioBase &base,
                               const ScenarioSettings &settings, const JobControl &control)
{
    ScenarioResult result;
    result.settings = settings;
    result.isJudged = false;
    result.hasIterations = hasKnownIterations(trace);
    for (const auto &[key, model] : base.links)
        result.links.push_back(model);
    result.unchangedNs = base.predictedNs;
    const std::int64_t measuredNs = slowestMeasuredNs(base.measured);
    result.replayErrorFraction = static_cast<double>(base.predictedNs - measuredNs)
        / static_cast<double>(std::max<std::int64_t>(1, measuredNs));

    control.report(0.1, "replay");
    result.graph = rewritten(trace, base.graph, base.links, base.work, settings, control);
    if (!settings.isEmpty() && graphChange(*base.graph, *result.graph).isNone())
        result.noChange = noChangeText(settings, *base.graph, trace);
    result.replay = result.graph == base.graph
        ? base.replay
        : std::make_shared<ReplayResult>(base.replayed->replay(*result.graph, control));
    result.iterations = replayedIterations(*result.graph, *result.replay, base.iterations);
    setRanks(trace, base.measured, result);
    result.unknownInterval = intervalObstacle(result, measured);
    result.ciLowNs = result.ciHighNs = result.predictedNs;
    result.measuredParts = base.measuredParts;
    for (const WorkerId server : serverWorkers(measured))
        result.serverRanks.push_back(trace.workers[server.value].rank);
    std::sort(result.serverRanks.begin(), result.serverRanks.end());
    result.predictedParts = replayedParts(*result.graph, *result.replay, result.iterations);
    ScenarioResult unchanged;
    unchanged.iterations = base.iterations;
    unchanged.measuredNs = result.measuredNs;
    unchanged.predictedNs = base.predictedNs;
    result.typicalIteration = shownIteration(
        result, unchanged, pairIterations(comparedIterations(trace).iterations, trace));
    result.criticalPath = iterationPath(result, result.typicalIteration);
    result.timeOriginNs = std::numeric_limits<std::int64_t>::max();
    for (const OpId begin : measured.iterationBegins)
        result.timeOriginNs = std::min(result.timeOriginNs, measured.measuredStartNs[begin.value]);
    result.noEffect = noEffectText(trace, result);
    return result;
}

namespace {

    /// Settings that change nothing are judged as none are: the same prediction had two grades.
    class JudgedSettings
    {
    public:
        explicit JudgedSettings(ScenarioResult &result)
            : m_result(result)
            , m_asked(result.settings)
        {
            if (result.noChange)
                result.settings = {};
        }
        ~JudgedSettings() { m_result.settings = std::move(m_asked); }
        JudgedSettings(const JudgedSettings &) = delete;
        JudgedSettings &operator=(const JudgedSettings &) = delete;
        JudgedSettings(JudgedSettings &&) = delete;
        JudgedSettings &operator=(JudgedSettings &&) = delete;

    private:
        ScenarioResult &m_result;
        ScenarioSettings m_asked;
    };

} // namespace

void judgeScenario(const Trace &trace, const std::shared_ptr<const Graph> &measured,
                   const ScenarioBase &base, ScenarioResult &result, const JobControl &control)
{
    const JudgedSettings judged(result);
    result.daydreamNs = daydreamIterationNs(trace, measured, base, result.settings, control);
    const GraphChange change = graphChange(*base.graph, *result.graph);
    if (!result.unknownInterval) {
        const PredictionInterval interval
            = predictionInterval({ trace, *measured, base, base.work, change }, result, control);
        result.ciLowNs = interval.lowNs;
        result.ciHighNs = interval.highNs;
        result.widest = interval.widest;
    }
    const Graph &shown = result.noChange ? *base.graph : *result.graph;
    judgeTrust({ trace, shown, base.measuredParts, base.replayedParts, *base.graph,
                 fixedTimeFor(result.settings, base), base.stretch->isKnown(), base.clocks,
                 replayedTotals(trace, base), slowerWithoutCause(change, result) },
               result);
    const std::vector<CountedIterations> counted = countedIterations(result);
    result.scheduling = schedulingEfficiency(*result.graph, *result.replay, counted);
    result.rankScheduling = rankEfficiencies(trace, *result.graph, *result.replay, counted);
    result.isJudged = true;
}

ScenarioResult runScenario(const Trace &trace, std::shared_ptr<const Graph> measured,
                           const ScenarioBase &base, const ScenarioSettings &settings,
                           const JobControl &control)
{
    ScenarioBase own = base;
    own.work = workModels(trace, base, settings, control);
    ScenarioResult result = predictScenario(trace, *measured, own, settings, control);
    judgeScenario(trace, measured, own, result, control);
    return result;
}

} // namespace core
