#include "core/analyze/bottlenecks/gain_intervals.h"

#include "core/base/error.h"
#include "core/predict/uncertainty.h"
#include "core/replay/graph_change.h"

#include <algorithm>

namespace core {

namespace {

    /// Around the gain that is told, which may count from another what-if than the unchanged job.
    /// Keeps in the base what the next one needs, too.
    JudgedGain judged(const Trace &trace, const Graph &graph, ScenarioBase &base,
                      const Bottleneck &found, const JobControl &control)
    {
        base.work = workModels(trace, base, found.settings, control);
        const ScenarioResult result = predictScenario(trace, graph, base, found.settings, control);
        if (result.unknownInterval)
            return { {}, *result.unknownInterval };
        if (base.work.overlap == nullptr)
            setOverlapReadings(base, graph, control);
        const GraphChange change = graphChange(*base.graph, *result.graph);
        const PredictionInterval interval
            = predictionInterval({ trace, graph, base, base.work, change }, result, control);
        const std::int64_t lowNs = found.gainNs - (interval.typicalHighNs - result.predictedNs);
        // What makes nothing slower loses nothing.
        return { GainInterval { change.isNowhereSlower() ? std::max<std::int64_t>(0, lowNs) : lowNs,
                                found.gainNs + result.predictedNs - interval.typicalLowNs },
                 {} };
    }

} // namespace

GainIntervals gainIntervals(const Trace &trace, const Graph &graph, const Diagnosis &diagnosis,
                            const JobControl &control)
{
    const std::size_t count = diagnosis.bottlenecks.size();
    GainIntervals gains(count);
    if (count == 0)
        return gains; // of several jobs there is no base
    ScenarioBase base = *diagnosis.base;
    for (std::size_t i = 0; i < count; ++i) {
        throwIfCancelled(control);
        control.report(static_cast<double>(i) / static_cast<double>(count), "intervals of gains");
        const Bottleneck &found = diagnosis.bottlenecks[i];
        if (found.settings.isEmpty())
            continue;
        try {
            gains[i] = judged(trace, graph, base, found, control.part(0, 0));
        } catch (const Error &error) {
            gains[i].unknown = error.what();
        }
    }
    return gains;
}

void setGainIntervals(const GainIntervals &intervals, Diagnosis &diagnosis)
{
    for (std::size_t i = 0; i < intervals.size(); ++i) {
        diagnosis.bottlenecks[i].gainInterval = intervals[i].interval;
        diagnosis.bottlenecks[i].unknownInterval = intervals[i].unknown;
    }
}

} // namespace core
