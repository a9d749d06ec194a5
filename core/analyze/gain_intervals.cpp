#include "core/analyze/gain_intervals.h"

#include "core/replay/graph_change.h"
#include "core/scenario/uncertainty.h"

#include <algorithm>

namespace core {

namespace {

    /// Around the gain that is told, which may count from another what-if than the unchanged job.
    std::optional<GainInterval> gainInterval(const Trace &trace, const Graph &graph,
                                             const ScenarioBase &base, const Bottleneck &found,
                                             const JobControl &control)
    {
        ScenarioBase own = base;
        own.work = workModels(trace, base, found.settings, control);
        const ScenarioResult result = predictScenario(trace, graph, own, found.settings, control);
        if (result.unknownInterval)
            return {};
        const GraphChange change = graphChange(*own.graph, *result.graph);
        const PredictionInterval interval
            = predictionInterval({ trace, graph, own, own.work, change }, result, control);
        const std::int64_t lowNs = found.gainNs - (interval.typicalHighNs - result.predictedNs);
        // What makes nothing slower loses nothing.
        return GainInterval { change.isNowhereSlower() ? std::max<std::int64_t>(0, lowNs) : lowNs,
                              found.gainNs + result.predictedNs - interval.typicalLowNs };
    }

} // namespace

GainIntervals gainIntervals(const Trace &trace, const Graph &graph, const Diagnosis &diagnosis,
                            const JobControl &control)
{
    const std::size_t count = diagnosis.bottlenecks.size();
    GainIntervals intervals(count);
    for (std::size_t i = 0; i < count; ++i) {
        throwIfCancelled(control);
        control.report(static_cast<double>(i) / static_cast<double>(count), "intervals of gains");
        const Bottleneck &found = diagnosis.bottlenecks[i];
        if (!found.settings.isEmpty())
            intervals[i] = gainInterval(trace, graph, *diagnosis.base, found, control.part(0, 0));
    }
    return intervals;
}

void setGainIntervals(const GainIntervals &intervals, Diagnosis &diagnosis)
{
    for (std::size_t i = 0; i < intervals.size(); ++i)
        diagnosis.bottlenecks[i].gainInterval = intervals[i];
}

} // namespace core
