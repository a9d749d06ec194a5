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
    , base(input.base)
    , obstacles(settingObstacles(replayed, input.diagnosis.selfReplay.links))
    , baseNs(input.diagnosis.selfReplay.predictedNs)
    , iterations(std::max(1, graph.iterationCount))
    , words(input.trace, graph.iterationCount)
    , inputlessNs(obstacles.input ? std::nullopt : std::optional(predictedNs(withoutInput())))
{
}

std::int64_t BottleneckSearch::predictedNs(const ScenarioSettings &settings) const
{
    throwIfCancelled(control);
    return predictIterationNs(trace, base, settings, control.part(0, 0));
}

ScenarioResult BottleneckSearch::result(const ScenarioSettings &settings) const
{
    throwIfCancelled(control);
    return runScenario(trace, measured, base, settings, control.part(0, 0));
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
                                                       const ScenarioSettings &settings) const
{
    return withGain(kind, settings, predictedNs(settings));
}

std::optional<Bottleneck> BottleneckSearch::withGain(const char *kind,
                                                     const ScenarioSettings &settings,
                                                     std::int64_t predictedNs) const
{
    return withGain(kind, settings, predictedNs, baseNs);
}

std::optional<Bottleneck> BottleneckSearch::withGain(const char *kind,
                                                     const ScenarioSettings &settings,
                                                     std::int64_t predictedNs,
                                                     std::int64_t othersNs) const
{
    Bottleneck bottleneck;
    bottleneck.kind = kind;
    bottleneck.settings = settings;
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

std::string BottleneckSearch::commandLine(const Bottleneck &found) const
{
    std::string command = "longpole replay PROJECT";
    for (const auto &[key, value] : found.settings.list())
        command += " --set " + key + "=" + value;
    return command + " predicts " + durationText(found.predictedNs) + " instead of "
        + durationText(baseNs) + ".";
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

ScenarioSettings withoutInput()
{
    ScenarioSettings settings;
    settings.inputScale = 0;
    return settings;
}

std::string numberText(double value)
{
    std::array<char, 32> text {};
    std::snprintf(text.data(), text.size(), "%g", value);
    return text.data();
}

} // namespace core
