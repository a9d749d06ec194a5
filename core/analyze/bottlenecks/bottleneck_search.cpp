#include "core/analyze/bottlenecks/bottleneck_search.h"

#include "core/base/duration_text.h"
#include "core/fit/links/link_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace core {

BottleneckSearch::BottleneckSearch(const BottleneckInput &input,
                                   const std::vector<Bottleneck> &foundBefore,
                                   const JobControl &jobControl)
    : trace(input.trace)
    , measured(input.graph)
    , graph(*input.graph)
    , replayed(*input.diagnosis.selfReplay.graph)
    , diagnosis(input.diagnosis)
    , before(foundBefore)
    , control(jobControl)
    , advice(input.trace, *input.graph)
    , roles(communicationRoles(input.trace, *input.graph, input.diagnosis))
    , predictor(input.predictor)
    , obstacles(input.predictor.obstacles())
    , baseNs(input.diagnosis.selfReplay.predictedNs)
    , iterations(std::max(1, graph.iterationCount))
    , words(input.trace, graph.iterationCount)
    , inputlessNs(obstacle("input_scale") ? std::nullopt
                                          : std::optional(predictedNs({ { "input_scale", 0.0 } })))
{
}

std::int64_t BottleneckSearch::predictedNs(const Strategy &strategy) const
{
    throwIfCancelled(control);
    return predictor.iterationNs(strategy, control.part(0, 0)).value_or(baseNs);
}

Prediction BottleneckSearch::result(const Strategy &strategy) const
{
    throwIfCancelled(control);
    return predictor.predictJudged(strategy, control.part(0, 0));
}

bool BottleneckSearch::isWorthALine(std::int64_t predictedNs) const
{
    return gainFraction(predictedNs) >= SmallestGain;
}

double BottleneckSearch::gainFraction(std::int64_t predictedNs) const
{
    return baseNs > 0 ? static_cast<double>(baseNs - predictedNs) / static_cast<double>(baseNs) : 0;
}

std::optional<Bottleneck> BottleneckSearch::withGainOf(const char *kind,
                                                       const Strategy &strategy) const
{
    return withGain(kind, strategy, predictedNs(strategy));
}

std::optional<Bottleneck> BottleneckSearch::withGain(const char *kind, const Strategy &strategy,
                                                     std::int64_t predictedNs) const
{
    return withGain(kind, strategy, predictedNs, baseNs);
}

std::optional<Bottleneck> BottleneckSearch::withGain(const char *kind, const Strategy &strategy,
                                                     std::int64_t predictedNs,
                                                     std::int64_t othersNs) const
{
    Bottleneck bottleneck;
    bottleneck.kind = kind;
    bottleneck.strategy = strategy;
    bottleneck.predictedNs = predictedNs;
    bottleneck.gainNs = othersNs - predictedNs;
    const std::int64_t leftNs = baseNs - bottleneck.gainNs;
    bottleneck.gainFraction = gainFraction(leftNs);
    if (!isWorthALine(leftNs))
        return std::nullopt;
    return bottleneck;
}

const Bottleneck *BottleneckSearch::findBefore(const char *kind) const
{
    const auto found = std::find_if(before.begin(), before.end(),
                                    [kind](const Bottleneck &one) { return one.kind == kind; });
    return found == before.end() ? nullptr : &*found;
}

std::string BottleneckSearch::onAverage() const
{
    return trace.workers.size() * static_cast<std::size_t>(iterations) > 1 ? " on average" : "";
}

void BottleneckSearch::addLinkEvidence(Bottleneck &found) const
{
    for (std::string &text : fittedLinkTexts(diagnosis.selfReplay.links))
        found.evidence.push_back(std::move(text));
}

void BottleneckSearch::pointAtLongestTransfer(Bottleneck &bottleneck) const
{
    std::int64_t longestNs = -1;
    for (const CollectiveReport &collective : diagnosis.collectives)
        for (const CollectiveRankReport &part : collective.ranks)
            if (part.transferNs > longestNs) {
                longestNs = part.transferNs;
                bottleneck.slice = part.slice;
                bottleneck.range = { part.startNs, part.endNs };
            }
    if (longestNs < 0)
        pointAtLongestOp(bottleneck, isCommunicationOp);
}

void BottleneckSearch::pointAtLongestOp(Bottleneck &bottleneck, CriticalOpTest isMeant) const
{
    std::int64_t longestNs = -1;
    for (const CriticalOp &op : diagnosis.criticalPath.ops)
        if (isMeant(op) && op.durationNs > longestNs && op.slice != NoSlice) {
            longestNs = op.durationNs;
            bottleneck.slice = op.slice;
            bottleneck.range = { op.startNs, op.startNs + op.durationNs };
        }
}

std::string predictedText(const Bottleneck &found)
{
    return "Predicted: " + durationText(found.predictedNs) + ".";
}

SizeChoice chooseSize(const BottleneckSearch &search, std::vector<SizeCandidate> candidates,
                      double present, const std::function<Strategy(double size)> &strategyOf)
{
    struct Interval
    {
        std::int64_t lowNs, highNs;
        bool holds(std::int64_t ns) const { return lowNs <= ns && ns <= highNs; }
    };
    // A whole prediction has a graph and a replay: the next one would come on top.
    const auto intervalOf = [&](const SizeCandidate &candidate) {
        const Prediction result = search.result(strategyOf(candidate.size));
        return Interval { result.ciLowNs, result.ciHighNs };
    };
    const auto farness = [present](const SizeCandidate &candidate) {
        return std::abs(std::log(candidate.size / present));
    };
    const SizeCandidate best = *std::min_element(candidates.begin(), candidates.end());
    const Interval ofBest = intervalOf(best);
    std::erase_if(candidates, [&](const SizeCandidate &candidate) {
        return !ofBest.holds(candidate.ns) || !search.isWorthALine(candidate.ns);
    });
    SizeChoice choice { best, {} };
    if (candidates.size() < 2)
        return choice;
    for (const SizeCandidate &candidate : candidates)
        choice.alike.push_back(candidate.size);
    std::sort(choice.alike.begin(), choice.alike.end());
    std::stable_sort(candidates.begin(), candidates.end(),
                     [&](const auto &a, const auto &b) { return farness(a) < farness(b); });
    for (const SizeCandidate &candidate : candidates) {
        choice.chosen = candidate;
        if (candidate.ns == best.ns || intervalOf(candidate).holds(best.ns))
            break;
    }
    return choice;
}

std::string numberText(double value)
{
    std::array<char, 32> text {};
    std::snprintf(text.data(), text.size(), "%g", value);
    return text.data();
}

} // namespace core
