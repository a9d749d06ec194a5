#include "core/scenario/uncertainty.h"

#include "core/scenario/extrapolation.h"
#include "core/scenario/interference.h"
#include "core/scenario/iteration_spread.h"
#include "core/scenario/iteration_time.h"
#include "core/scenario/job_metadata.h"
#include "core/scenario/more_ranks.h"
#include "core/scenario/rewrite.h"
#include "core/scenario/transfers.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace core {

namespace {

    /// A nominal rate that is derived from the fitted one moves with it.
    void setBeta(LinkModel &model, double nsPerByte)
    {
        if (!model.nominalMbit && nsPerByte > 0)
            model.bandwidthMbit *= model.betaNsPerByte / nsPerByte;
        model.betaNsPerByte = nsPerByte;
    }

    LinkModels withHighBeta(LinkModels links)
    {
        for (auto &[key, model] : links)
            setBeta(model, model.betaHigh);
        return links;
    }

    /// The other reading of the same transfers: no alpha, all of their time spent on bytes.
    LinkModels withoutAlpha(LinkModels links)
    {
        for (auto &[key, model] : links) {
            model.alphaNs = 0;
            setBeta(model, model.pooledBetaNsPerByte);
        }
        return links;
    }

    bool isAnyUnseen(const LinkModels &links)
    {
        return std::any_of(links.begin(), links.end(),
                           [](const auto &entry) { return entry.second.unseenWaitNs > 0; });
    }

    /// A part of each transfer is waiting for a rank without a recording: `isKept`, as long with
    /// every other transfer, else only where those transfers were. At least a tenth is bytes' time.
    LinkModels withUnseenWait(LinkModels links, bool isKept)
    {
        for (auto &[key, model] : links)
            if (model.unseenWaitNs > 0 && model.meanBytes > 0) {
                const double waitNs
                    = std::min(model.unseenWaitNs, 0.9 * model.betaNsPerByte * model.meanBytes);
                setBeta(model, model.betaNsPerByte - waitNs / model.meanBytes);
                model.alphaNs = isKept ? model.alphaNs + waitNs : 0;
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
                model.bandwidthMbit = derivedBandwidthMbit(model);
                model.hasSizes = true; // that time goes with bytes is still known
            }
        return links;
    }

    /// Without a bandwidth that is the links' own: what it changes is known, nothing.
    ScenarioSettings effective(ScenarioSettings settings, const LinkModels &links,
                               const Trace &trace)
    {
        const auto isOwn = [&settings](const auto &entry) {
            return entry.second.isWithinHost
                || entry.second.bandwidthMbit == *settings.bandwidthMbit;
        };
        if (settings.bandwidthMbit && linkRatesMbit(trace).empty()
            && std::all_of(links.begin(), links.end(), isOwn))
            settings.bandwidthMbit.reset();
        return settings;
    }

    /// No change of the job is surer than the job as it was: at least the spread of the unchanged
    /// iterations, for the length of the predicted ones.
    IterationSpread spreadOf(const ScenarioBase &base, const ScenarioResult &result,
                             const JobControl &control)
    {
        IterationSpread spread = iterationSpread(result.iterations, control);
        if (result.settings.isEmpty())
            return spread;
        const IterationSpread unchanged
            = iterationSpread(replayedIterations(*base.graph, *base.replay, base.lag), control);
        const double share = static_cast<double>(result.predictedNs)
            / static_cast<double>(std::max<std::int64_t>(
                1, slowestRankNs(*base.graph, *base.replay, base.lag)));
        spread.ofOneNs = std::max(spread.ofOneNs, share * unchanged.ofOneNs);
        spread.medianDownNs = std::max(spread.medianDownNs, share * unchanged.medianDownNs);
        spread.medianUpNs = std::max(spread.medianUpNs, share * unchanged.medianUpNs);
        return spread;
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
    const IterationSpread spread = spreadOf(base, result, control);
    const ScenarioSettings settings = effective(result.settings, base.links, trace);
    const double replayErrorNs
        = result.replayErrorFraction * static_cast<double>(result.predictedNs);
    double squares = std::pow(spread.ofOneNs, 2) + std::pow(replayErrorNs, 2);
    double pipeliningNs = 0;

    const auto iterationNs = [&](const Graph &graph) {
        return slowestRankNs(graph, base.replayed->replay(graph, control), base.lag);
    };
    const std::int64_t unchangedNs = slowestRankNs(*base.graph, *base.replay, base.lag);
    const std::int64_t changeNs = result.predictedNs - unchangedNs;
    // How far the change moves with another reading of the same trace.
    const auto moveNs = [&](const std::shared_ptr<const Graph> &graph, const LinkModels &links) {
        const std::int64_t fromNs = graph == base.graph ? unchangedNs : iterationNs(*graph);
        const auto changed = rewritten(trace, graph, links, settings, control);
        return static_cast<double>(iterationNs(*changed) - fromNs - changeNs);
    };
    if (restsOnLinks(settings) && !base.links.empty()) {
        std::vector<LinkModels> readings
            = { withHighBeta(base.links), withoutAlpha(base.links), withWholePayload(base.links) };
        if (isAnyUnseen(base.links)) {
            readings.push_back(withUnseenWait(base.links, true));
            readings.push_back(withUnseenWait(base.links, false));
        }
        for (const LinkModels &reading : readings)
            squares += std::pow(moveNs(base.graph, reading), 2);
        if (settings.schedule)
            pipeliningNs = std::max(0.0, moveNs(base.graph, withoutPipelining(base.links)));
    }
    if (!settings.isEmpty() && base.graph->interferingLink) {
        const auto costly
            = std::make_shared<const Graph>(withInterference(measured, trace, base.links, 1.96));
        squares += std::pow(moveNs(costly, base.links), 2);
    }
    if (const ScenarioSettings checked = withinChecked(settings, measured, base.links);
        checked != settings) {
        const auto nearer = rewritten(trace, base.graph, base.links, checked, control);
        squares += std::pow(static_cast<double>(iterationNs(*nearer) - result.predictedNs), 2);
    }
    const double longerNs = settings.worldSize ? longerWaitNs(measured, *settings.worldSize) : 0;
    return { std::llround(
                 std::hypot(std::sqrt(squares), spread.medianDownNs, std::min(0.0, longerNs))),
             std::llround(std::hypot(std::sqrt(squares), spread.medianUpNs,
                                     std::hypot(pipeliningNs, std::max(0.0, longerNs)))) };
}

} // namespace core
