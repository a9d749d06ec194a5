#include "core/analyze/bottlenecks/gain_intervals.h"

#include "core/predict/predictor.h"
#include "core/replay/graph_change.h"

#include <algorithm>

namespace core {

namespace {

    /// Around the gain that is told, which may count from another what-if than the unchanged job.
    JudgedGain judged(Predictor &predictor, const Bottleneck &found, const JobControl &control)
    {
        const Prediction result = predictor.predict(found.strategy, control);
        if (result.obstacle)
            return { {}, *result.obstacle };
        if (result.unknownInterval)
            return { {}, *result.unknownInterval };
        const PredictionInterval interval = predictor.interval(result, control);
        const GraphChange change = graphChange(*predictor.base().graph, *result.graph);
        const std::int64_t lowNs = found.gainNs - (interval.typicalHighNs - result.predictedNs);
        // What makes nothing slower loses nothing.
        return { GainInterval { change.isNowhereSlower() ? std::max<std::int64_t>(0, lowNs) : lowNs,
                                found.gainNs + result.predictedNs - interval.typicalLowNs },
                 {} };
    }

} // namespace

GainIntervals gainIntervals(const Diagnosis &diagnosis, const JobControl &control)
{
    const std::size_t count = diagnosis.bottlenecks.size();
    GainIntervals gains(count);
    if (count == 0)
        return gains; // of several jobs nothing is predicted
    Predictor predictor = *diagnosis.predictor;
    for (std::size_t i = 0; i < count; ++i) {
        throwIfCancelled(control);
        control.report(static_cast<double>(i) / static_cast<double>(count), "intervals of gains");
        const Bottleneck &found = diagnosis.bottlenecks[i];
        if (!found.strategy.isEmpty())
            gains[i] = judged(predictor, found, control.part(0, 0));
    }
    return gains;
}

Verdict settledVerdict(const Diagnosis &diagnosis, const GainIntervals &intervals)
{
    Verdict verdict { diagnosis.verdict, diagnosis.verdictRemarks, diagnosis.verdictKind };
    const std::vector<Bottleneck> &found = diagnosis.bottlenecks;
    const auto told = std::find_if(found.begin(), found.end(), [&verdict](const Bottleneck &one) {
        return !verdict.kind.empty() && one.kind == verdict.kind;
    });
    const auto intervalOf = [&](auto one) {
        const auto index = static_cast<std::size_t>(one - found.begin());
        return index < intervals.size() ? intervals[index].interval : std::nullopt;
    };
    if (told == found.end())
        return verdict;
    const auto toldInterval = intervalOf(told);
    if (!toldInterval || !toldInterval->mayBeNothing())
        return verdict;
    verdict.remarks = { verdict.sentence + " That is not sure: it may cost nothing." };
    verdict.sentence = "No cause stands out: iterations differ by more.";
    verdict.kind.clear();
    for (auto one = found.begin(); one != found.end(); ++one) {
        const auto interval = intervalOf(one);
        if (!interval || interval->mayBeNothing())
            continue;
        verdict.sentence = one->cost + ".";
        verdict.kind = one->kind;
        if (!one->reason.empty())
            verdict.remarks.insert(verdict.remarks.begin(), one->reason);
        break;
    }
    return verdict;
}

void setGainIntervals(const GainIntervals &intervals, Diagnosis &diagnosis)
{
    for (std::size_t i = 0; i < std::min(intervals.size(), diagnosis.bottlenecks.size()); ++i) {
        diagnosis.bottlenecks[i].gainInterval = intervals[i].interval;
        diagnosis.bottlenecks[i].unknownInterval = intervals[i].unknown;
    }
    Verdict verdict = settledVerdict(diagnosis, intervals);
    diagnosis.verdict = std::move(verdict.sentence);
    diagnosis.verdictRemarks = std::move(verdict.remarks);
    diagnosis.verdictKind = std::move(verdict.kind);
}

} // namespace core
