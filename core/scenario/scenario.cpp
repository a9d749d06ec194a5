#include "core/scenario/scenario.h"

#include "core/base/error.h"
#include "core/scenario/bandwidth.h"
#include "core/scenario/bucket_layout.h"
#include "core/scenario/interference.h"
#include "core/scenario/iteration_time.h"
#include "core/scenario/job_metadata.h"
#include "core/scenario/link_model.h"
#include "core/scenario/parts.h"
#include "core/scenario/rebucket.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace core {

namespace {

    BucketLimits bucketLimits(const Trace &trace, const ScenarioSettings &settings)
    {
        const double cap = settings.bucketCapMb.value_or(
            recordedBucketCapMb(trace).value_or(DefaultBucketCapMb));
        const double first = settings.firstBucketMb.value_or(DefaultFirstBucketMb);
        return { static_cast<std::uint64_t>(first * BytesPerMb),
                 static_cast<std::uint64_t>(cap * BytesPerMb) };
    }

    std::shared_ptr<const Graph> rewrite(const Trace &trace, std::shared_ptr<const Graph> measured,
                                         const LinkModels &links, const ScenarioSettings &settings)
    {
        if (settings.bucketCapMb || settings.firstBucketMb)
            measured = std::make_shared<Graph>(
                rebucket(*measured, trace, links, bucketLimits(trace, settings)));
        if (settings.bandwidthMbit || settings.bandwidthScale)
            measured = std::make_shared<Graph>(scaleBandwidth(*measured, links, settings));
        return measured;
    }

    /// The slowest rank's median period.
    std::int64_t slowestNs(const Graph &graph, const ReplayResult &result)
    {
        std::int64_t slowest = 0;
        for (std::uint32_t w = 0; w < graph.workerCount(); ++w)
            slowest = std::max(slowest, medianNs(replayedIterations(graph, result, WorkerId(w))));
        return slowest;
    }

    /// Standard error of a median of n values, from their spread (1.2533 is that of a normal
    /// sample).
    double medianErrorNs(const std::vector<std::int64_t> &values)
    {
        if (values.size() < 2)
            return 0;
        double mean = 0, squares = 0;
        for (const std::int64_t v : values)
            mean += static_cast<double>(v) / static_cast<double>(values.size());
        for (const std::int64_t v : values)
            squares += std::pow(static_cast<double>(v) - mean, 2);
        const auto n = static_cast<double>(values.size());
        return 1.2533 * std::sqrt(squares / (n - 1) / n);
    }

    void setRanks(const Trace &trace, ScenarioResult &result)
    {
        double spreadNs = 0;
        for (const Worker &worker : trace.workers) {
            const auto periods = replayedIterations(*result.graph, *result.replay, worker.id);
            const RankPrediction rank { worker.rank, medianNs(measuredIterations(trace, worker.id)),
                                        medianNs(periods) };
            result.ranks.push_back(rank);
            result.measuredNs = std::max(result.measuredNs, rank.measuredNs);
            result.predictedNs = std::max(result.predictedNs, rank.predictedNs);
            spreadNs = std::max(spreadNs, medianErrorNs(periods));
        }
        // Two independent errors: of the median over iterations, and of the model on what was
        // measured.
        const double modelNs
            = std::abs(result.replayErrorFraction) * static_cast<double>(result.predictedNs);
        const auto half = static_cast<std::int64_t>(std::hypot(1.96 * spreadNs, modelNs));
        result.ciLowNs = result.predictedNs - half;
        result.ciHighNs = result.predictedNs + half;
    }

    void setTrust(const Trace &trace, const Graph &measured, ScenarioResult &result)
    {
        auto &reasons = result.trustReasons;
        const double error = std::abs(result.replayErrorFraction);
        reasons.push_back(
            error <= 0.02
                ? "Replaying the unchanged trace reproduces its iteration time within 2 %."
                : error <= 0.05
                ? "Replaying the unchanged trace is off by more than 2 %, but less than 5 %."
                : "Replaying the unchanged trace is off by more than 5 %: something that matters "
                  "is "
                  "not in the trace. Do not rely on predictions.");
        if (measured.iterationCount < 3)
            reasons.push_back("Only " + std::to_string(measured.iterationCount)
                              + " iteration recorded on every rank: no steady state, no spread.");
        if (trace.workers.size() == 1)
            reasons.push_back("One rank only: waiting for other ranks is not seen.");
        for (const LinkModel &link : result.links)
            if (link.transfers < 4)
                reasons.push_back("Only " + std::to_string(link.transfers) + " transfers to fit '"
                                  + link.group + "' from.");
        for (const Worker &worker : trace.workers)
            if (worker.worldSize
                && static_cast<std::size_t>(*worker.worldSize) > trace.workers.size()) {
                reasons.push_back(std::to_string(trace.workers.size()) + " of the job's "
                                  + std::to_string(*worker.worldSize)
                                  + " ranks are in the project.");
                break;
            }
    }

    /// The causes of the slowest rank's last iteration end, as far back as that iteration reaches.
    std::vector<OpId> lastIterationPath(const Graph &graph, const ReplayResult &replayed)
    {
        const auto count = static_cast<std::size_t>(graph.iterationCount);
        std::size_t slowest = 0;
        for (std::size_t w = 1; w < graph.workerCount(); ++w)
            if (replayed.iterationEndNs[w * count + count - 1]
                > replayed.iterationEndNs[slowest * count + count - 1])
                slowest = w;
        const std::int64_t beginNs = count > 1
            ? replayed.iterationEndNs[slowest * count + count - 2]
            : replayed.endNs[graph.iterationBegins[slowest].value];
        std::vector<OpId> path
            = criticalPath(graph, replayed, graph.iterationEnds[slowest * count + count - 1]);
        std::erase_if(path, [&](OpId op) { return replayed.endNs[op.value] <= beginNs; });
        return path;
    }

} // namespace

ScenarioResult runScenario(const Trace &trace, std::shared_ptr<const Graph> measured,
                           const ScenarioSettings &settings, const JobControl &control)
{
    if (measured->iterationCount == 0)
        throw Error("The trace has no iteration that every rank recorded; nothing to replay.");
    const LinkModels links = fitLinks(*measured, trace);
    const auto base = std::make_shared<const Graph>(withInterference(*measured, trace, links));
    ScenarioResult result;
    result.settings = settings;
    for (const auto &[key, model] : links)
        result.links.push_back(model);
    control.report(0.1, "replay");
    const auto self = std::make_shared<ReplayResult>(replay(*base, control));
    std::int64_t measuredNs = 0;
    for (const Worker &worker : trace.workers)
        measuredNs = std::max(measuredNs, medianNs(measuredIterations(trace, worker.id)));
    result.replayErrorFraction = static_cast<double>(slowestNs(*base, *self) - measuredNs)
        / static_cast<double>(std::max<std::int64_t>(1, measuredNs));

    result.graph = rewrite(trace, base, links, settings);
    control.report(0.5, "replay");
    result.replay = result.graph == base
        ? self
        : std::make_shared<ReplayResult>(replay(*result.graph, control));
    setRanks(trace, result);
    setTrust(trace, *measured, result);
    result.measuredParts = measuredParts(*measured);
    result.predictedParts = replayedParts(*result.graph, *result.replay);
    result.schedulingEfficiency = schedulingEfficiency(*result.graph, *result.replay);
    result.criticalPath = lastIterationPath(*result.graph, *result.replay);
    result.timeOriginNs = std::numeric_limits<std::int64_t>::max();
    for (const OpId begin : measured->iterationBegins)
        result.timeOriginNs = std::min(result.timeOriginNs, measured->measuredStartNs[begin.value]);
    return result;
}

} // namespace core
