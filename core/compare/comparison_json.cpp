#include "core/compare/comparison_json.h"

#include "core/compare/comparison_words.h"
#include "core/predict/prediction_json.h"

#include <nlohmann/json.hpp>

namespace core {

namespace {

    nlohmann::ordered_json rangeJson(std::int64_t lowNs, std::int64_t highNs, bool isKnown)
    {
        if (!isKnown)
            return nullptr;
        return { lowNs, highNs };
    }

    template <class Value>
    nlohmann::ordered_json valueOrNull(const std::optional<Value> &value)
    {
        return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
    }

    nlohmann::ordered_json runJson(const MeasuredRun &run)
    {
        return { { "iteration_ns", run.iteration.ns },
                 { "iterations", run.iterationCount },
                 { "ranks", run.ranks },
                 { "framework", frameworkName(run.framework) },
                 { "tensors", run.tensorBytes.size() },
                 { "buckets", run.buckets },
                 { "sent_share", run.sentShare } };
    }

    nlohmann::ordered_json promiseJson(const RunComparison &comparison)
    {
        if (!comparison.promise)
            return nullptr;
        const Promise &promise = *comparison.promise;
        const RunGain gain = promise.gain();
        const PromisedTime iteration = comparison.promisedIteration();
        const bool isKnown = !promise.unknownInterval;
        return { { "iteration_ns", iteration.ns },
                 { "iteration_ci95_ns", rangeJson(iteration.lowNs, iteration.highNs, isKnown) },
                 { "gain_ns", gain.ns },
                 { "gain_ci95_ns", rangeJson(gain.lowNs, gain.highNs, isKnown) },
                 { "trust", trustLevelName(promise.trust) },
                 { "settings", strategyJson(promise.strategy) },
                 { "buckets", promise.buckets },
                 { "unseen", comparison.unseen } };
    }

    nlohmann::ordered_json partsOfBothJson(const RunComparison &comparison)
    {
        nlohmann::ordered_json parts = nlohmann::ordered_json::object();
        for (const ComparedPart &part : comparison.parts)
            parts[std::string(part.part.key)] = { { "earlier_ns", part.earlierNs },
                                                  { "later_ns", part.laterNs },
                                                  { "noise_ns", valueOrNull(part.noiseNs) },
                                                  { "promised_ns", valueOrNull(part.promisedNs) } };
        return parts;
    }

} // namespace

nlohmann::ordered_json toJson(const RunComparison &comparison)
{
    const RunGain &gain = comparison.gain;
    nlohmann::ordered_json json { { "verdict", verdictName(comparison.verdict) },
                                  { "answer", comparisonHeadline(comparison) },
                                  { "earlier", runJson(comparison.earlier) },
                                  { "later", runJson(comparison.later) },
                                  { "gain_ns", gain.ns },
                                  { "gain_ci95_ns",
                                    rangeJson(gain.lowNs, gain.highNs, comparison.hasNoise()) },
                                  { "promise", promiseJson(comparison) },
                                  { "parts", partsOfBothJson(comparison) },
                                  { "doubts", nlohmann::ordered_json::array() },
                                  { "needed_iterations", valueOrNull(comparison.neededIterations) },
                                  { "notes", comparisonNotes(comparison) } };
    for (const Doubt doubt : comparison.doubts)
        json["doubts"].push_back(doubtName(doubt));
    return json;
}

} // namespace core
