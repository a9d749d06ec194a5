#include "core/scenario/uncertainty.h"

#include "core/replay/replay.h"
#include "core/scenario/interference.h"
#include "core/scenario/iteration_time.h"
#include "core/scenario/rewrite.h"

#include <algorithm>
#include <cmath>

namespace core {

namespace {

    double standardDeviation(const std::vector<std::int64_t> &values)
    {
        if (values.size() < 2)
            return 0;
        const auto n = static_cast<double>(values.size());
        double mean = 0, squares = 0;
        for (const std::int64_t v : values)
            mean += static_cast<double>(v) / n;
        for (const std::int64_t v : values)
            squares += std::pow(static_cast<double>(v) - mean, 2);
        return std::sqrt(squares / (n - 1));
    }

    double spreadNs(const ScenarioResult &result)
    {
        double spread = 0;
        for (const ReplayedIterations &own : result.iterations)
            spread = std::max(
                spread,
                standardDeviation({ own.periodNs.begin() + static_cast<std::ptrdiff_t>(own.warmUp),
                                    own.periodNs.end() }));
        return spread;
    }

    LinkModels withHighBeta(LinkModels links)
    {
        for (auto &[key, model] : links)
            model.betaNsPerByte = model.betaHigh;
        return links;
    }

    /// The other reading of the same transfers: no alpha, all of their time spent on bytes.
    LinkModels withoutAlpha(LinkModels links)
    {
        for (auto &[key, model] : links) {
            model.alphaNs = 0;
            model.betaNsPerByte = model.pooledBetaNsPerByte;
        }
        return links;
    }

    /// What handing a slice over takes is not in a trace of buckets; at most it is alpha, with the
    /// link idle.
    LinkModels withoutPipelining(LinkModels links)
    {
        for (auto &[key, model] : links)
            model.isPipelined = false;
        return links;
    }

    /// The share of its nominal rate that a CPU backend's link gave its transfers need not be that
    /// of another rate: the variant gives it what TCP can reach at most.
    LinkModels withWholePayload(LinkModels links)
    {
        for (auto &[key, model] : links)
            if (model.isHostLink && model.nominalMbit) {
                model.nominalMbit.reset();
                model.hasSizes = true; // that time goes with bytes is still known
            }
        return links;
    }

} // namespace

std::optional<std::string> intervalObstacle(const ScenarioResult &result)
{
    if (!result.hasIterations)
        return "nothing in the recording tells iterations apart, so how much they differ is not "
               "known";
    if (result.graph->iterationCount < 2)
        return "one iteration is recorded on every rank, which does not tell how much iterations "
               "differ; record three or more";
    return {};
}

IntervalReach intervalReach(const Trace &trace, const Graph &measured, const ScenarioBase &base,
                            const ScenarioResult &result, const JobControl &control)
{
    const auto predicted = static_cast<double>(result.predictedNs);
    double squares = std::pow(1.96 * spreadNs(result), 2)
        + std::pow(result.replayErrorFraction * predicted, 2);
    double upSquares = 0;
    if (!result.settings.isEmpty() && !base.links.empty()) {
        const auto moveNs = [&](const LinkModels &variant, double sigmas) {
            const auto stretched = std::make_shared<const Graph>(
                withInterference(measured, trace, base.links, sigmas));
            const auto graph = rewritten(trace, stretched, variant, result.settings);
            return static_cast<double>(slowestRankNs(*graph, replay(*graph, control), base.lag))
                - predicted;
        };
        for (const double move :
             { moveNs(withHighBeta(base.links), 0), moveNs(withoutAlpha(base.links), 0),
               moveNs(withWholePayload(base.links), 0), moveNs(base.links, 1.96) })
            squares += move * move;
        if (result.settings.schedule)
            upSquares = std::pow(std::max(0.0, moveNs(withoutPipelining(base.links), 0)), 2);
    }
    return { std::llround(std::sqrt(squares)), std::llround(std::sqrt(squares + upSquares)) };
}

} // namespace core
