#include "core/predict/predictor.h"

#include "core/base/error.h"
#include "core/change/gradients/bucket_base.h"
#include "core/change/rewriting.h"
#include "core/measure/iteration_time.h"
#include "core/measure/parts.h"
#include "core/measure/typical_iteration.h"
#include "core/model/step_marks.h"
#include "core/predict/daydream.h"
#include "core/predict/no_effect.h"
#include "core/predict/overlap_readings.h"
#include "core/predict/slower_without_cause.h"
#include "core/predict/trust.h"
#include "core/predict/uncertainty.h"
#include "core/replay/graph_change.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace core {

namespace {

    void setRanks(const Trace &trace, const MeasuredIterations &measured, Prediction &result)
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

    /// Of the unchanged job. The mean only where it is over the same iterations.
    std::vector<ReplayedTotal> replayedTotals(const Trace &trace, const PredictionBase &base)
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
    std::vector<CountedIterations> countedIterations(const Prediction &result)
    {
        std::vector<CountedIterations> all(result.iterations.size());
        const std::size_t count = all.empty() ? 0 : result.iterations.front().endNs.size();
        for (std::size_t i = 0; i < count; ++i) {
            if (!result.counts(i)) // looks at all workers
                continue;
            for (std::size_t worker = 0; worker < all.size(); ++worker) {
                const ReplayedIterations &own = result.iterations[worker];
                all[worker].push_back({ own.endNs[i] - own.periodNs[i], own.endNs[i] });
            }
        }
        return all;
    }

    /// Settings that change nothing are judged as none are.
    Strategy judgedStrategy(const Prediction &prediction)
    {
        return prediction.noChange ? Strategy {} : prediction.strategy;
    }

} // namespace

Predictor::Predictor(const Trace &trace, std::shared_ptr<const Graph> measured,
                     std::shared_ptr<const PredictionBase> base)
    : m_trace(&trace)
    , m_measured(std::move(measured))
    , m_base(std::move(base))
{
    if (trace.shapes)
        m_models.batch.growth = std::make_shared<const BatchGrowth>(
            batchGrowth(trace, *trace.shapes, *m_base->graph));
}

Predictor::Predictor(const Trace &trace, std::shared_ptr<const Graph> measured,
                     const JobControl &control)
    : Predictor(trace, measured,
                std::make_shared<const PredictionBase>(predictionBase(trace, *measured, control)))
{
}

Predictor::Predictor(const Trace &trace, std::shared_ptr<const Graph> measured,
                     const std::vector<WorkerActivity> &activities, const JobControl &control)
    : Predictor(trace, measured,
                std::make_shared<const PredictionBase>(
                    predictionBase(trace, *measured, activities, control)))
{
}

void Predictor::findModels(unsigned effects, const JobControl &control)
{
    const bool needsShapes = (effects & effect::Batch) != 0 && m_models.batch.growth == nullptr;
    if (needsShapes && m_sources.shapes)
        m_models.batch.growth = std::make_shared<const BatchGrowth>(
            batchGrowth(*m_trace, m_sources.shapes(control), *m_base->graph));
    if ((effects & (effect::Ranks | effect::Shares)) != 0 && m_models.cores == nullptr)
        m_models.cores = std::make_shared<const CoreSharing>(*m_base->graph, *m_trace, control);
    if ((effects & effect::Speed) != 0 && m_models.memory == nullptr)
        m_models.memory = std::make_shared<const MemoryShares>(*m_base->graph, *m_trace, control);
    if ((effects & effect::Buckets) != 0 && m_models.bucketBase == nullptr)
        m_models.bucketBase = bucketBase(job(), control);
    if ((effects & effect::Schedule) != 0 && m_models.tensorBase == nullptr)
        m_models.tensorBase = tensorBase(job(), control);
}

void Predictor::findOverlapReadings(const JobControl &control)
{
    if (m_models.overlap == nullptr)
        m_models.overlap = std::make_shared<const std::vector<OverlapReading>>(
            overlapReadings(*m_measured, *m_base, control));
}

std::optional<std::int64_t> Predictor::iterationNs(const Strategy &strategy,
                                                   const JobControl &control)
{
    findModels(effectsOf(strategy), control);
    const Rewritten rewritten
        = tryRewriting(*m_trace, m_base->graph, m_base->links, m_models, strategy, control);
    if (rewritten.obstacle)
        return std::nullopt;
    return slowestRankNs(*rewritten.graph, m_base->replayed->replay(*rewritten.graph, control),
                         m_base->iterations);
}

Prediction Predictor::predict(const Strategy &strategy, const JobControl &control)
{
    findModels(effectsOf(strategy), control.part(0, 0.1));
    const PredictionBase &base = *m_base;
    Prediction result;
    result.strategy = strategy;
    result.isJudged = false;
    result.hasIterations = hasKnownIterations(*m_trace);
    for (const auto &[key, model] : base.links)
        result.links.push_back(model);
    result.unchangedNs = base.predictedNs;
    const std::int64_t measuredNs = slowestMeasuredNs(base.measured);
    result.replayErrorFraction = static_cast<double>(base.predictedNs - measuredNs)
        / static_cast<double>(std::max<std::int64_t>(1, measuredNs));

    Rewritten rewritten = tryRewriting(*m_trace, base.graph, base.links, m_models, strategy,
                                       control.part(0.1, 0.5));
    control.report(0.5, "replay");
    result.obstacle = std::move(rewritten.obstacle);
    if (result.obstacle)
        return result;
    result.graph = std::move(rewritten.graph);
    if (!strategy.isEmpty() && graphChange(*base.graph, *result.graph).isNone())
        result.noChange = noChangeText(job(), strategy);
    result.replay = result.graph == base.graph
        ? base.replay
        : std::make_shared<ReplayResult>(base.replayed->replay(*result.graph, control));
    result.iterations = replayedIterations(*result.graph, *result.replay, base.iterations);
    setRanks(*m_trace, base.measured, result);
    result.unknownInterval = intervalObstacle(result, *m_measured);
    result.ciLowNs = result.ciHighNs = result.predictedNs;
    result.measuredParts = base.measuredParts;
    for (const WorkerId server : serverWorkers(*m_measured))
        result.serverRanks.push_back(m_trace->workers[server.value].rank);
    std::sort(result.serverRanks.begin(), result.serverRanks.end());
    result.predictedParts = replayedParts(*result.graph, *result.replay, result.iterations);
    const ReplayedJob unchanged { base.iterations, result.measuredNs, base.predictedNs };
    result.typicalIteration = shownIteration(result, unchanged, commonIterations(*m_trace));
    result.criticalPath = iterationPath(result, result.typicalIteration);
    result.timeOriginNs = std::numeric_limits<std::int64_t>::max();
    for (const OpId begin : m_measured->iterationBegins)
        result.timeOriginNs
            = std::min(result.timeOriginNs, m_measured->measuredStartNs[begin.value]);
    result.noEffect = noEffectText(*m_trace, result);
    return result;
}

PredictionInterval Predictor::interval(const Prediction &prediction, const JobControl &control)
{
    findOverlapReadings(control);
    const GraphChange change = graphChange(*m_base->graph, *prediction.graph);
    return predictionInterval({ *m_trace, *m_measured, *m_base, m_models, change }, prediction,
                              judgedStrategy(prediction), control);
}

void Predictor::judge(Prediction &prediction, const JobControl &control)
{
    if (prediction.obstacle)
        return;
    const PredictionBase &base = *m_base;
    const Strategy judged = judgedStrategy(prediction);
    prediction.daydreamNs
        = daydreamIterationNs(*m_trace, m_measured, base, m_models, judged, control);
    if (!prediction.unknownInterval) {
        const PredictionInterval found = interval(prediction, control);
        prediction.ciLowNs = found.lowNs;
        prediction.ciHighNs = found.highNs;
        prediction.widest = found.widest;
    }
    const GraphChange change = graphChange(*base.graph, *prediction.graph);
    const Graph &shown = prediction.noChange ? *base.graph : *prediction.graph;
    judgeTrust({ *m_trace, shown, base.measuredParts, base.replayedParts, *base.graph, base.links,
                 m_models, judged, base.stretch->isKnown(), base.clocks,
                 replayedTotals(*m_trace, base), slowerWithoutCause(change, judged, prediction) },
               prediction);
    const std::vector<CountedIterations> counted = countedIterations(prediction);
    prediction.scheduling = schedulingEfficiency(*prediction.graph, *prediction.replay, counted);
    prediction.rankScheduling
        = rankEfficiencies(*m_trace, *prediction.graph, *prediction.replay, counted);
    prediction.isJudged = true;
}

Prediction Predictor::predictJudged(const Strategy &strategy, const JobControl &control)
{
    Prediction prediction = predict(strategy, control.part(0, 0.4));
    judge(prediction, control.part(0.4, 1));
    return prediction;
}

std::optional<PeakMemory> Predictor::peakMemory(const Prediction &prediction,
                                                const JobControl &control) const
{
    if (prediction.graph == nullptr || prediction.replay == nullptr || !m_sources.memory)
        return std::nullopt;
    try {
        return core::peakMemory(*m_trace, *m_measured, prediction, m_sources.memory, control);
    } catch (const Error &error) {
        // A project whose allocations cannot be read still tells its times.
        PeakMemory unread;
        unread.unknown = error.what();
        return unread;
    }
}

} // namespace core
