#include "core/optimize/search_json.h"

#include "core/optimize/search_words.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace core {

namespace {

    nlohmann::ordered_json candidateJson(const Candidate &candidate)
    {
        nlohmann::ordered_json json { { "pass", candidate.pass },
                                      { "change", candidate.change },
                                      { "predicted_ns", candidate.predictedNs },
                                      { "gain_ns", candidate.gainNs } };
        if (candidate.unknownInterval.empty())
            json["gain_ci95_ns"] = { candidate.gainLowNs, candidate.gainHighNs };
        json["numerics"] = numericsName(candidate.numerics);
        for (const auto &[key, value] : candidate.strategy.list())
            json["settings"][key] = value;
        if (candidate.trust)
            json["trust"] = trustLevelName(*candidate.trust);
        if (candidate.peakBytes)
            json["peak_memory_bytes"] = *candidate.peakBytes;
        json["why"] = candidate.explanation;
        json["parts"] = nlohmann::ordered_json::array();
        for (const StrategyPart &part : candidate.parts) {
            json["parts"].push_back({ { "settings", part.names }, { "without_ns", nullptr } });
            if (part.withoutNs)
                json["parts"].back()["without_ns"] = *part.withoutNs;
        }
        return json;
    }

    /// {"horovod_default": 548000000, ...}; null where it is not known, and then why.
    void addBaselines(const SearchResult &result, nlohmann::ordered_json &json)
    {
        json["baselines"] = nlohmann::ordered_json::object();
        json["baselines_p95"] = nlohmann::ordered_json::object();
        json["baseline_obstacles"] = nlohmann::ordered_json::object();
        for (const Baseline &baseline : result.baselines) {
            const std::string name(baseline.name);
            json["baselines"][name] = nullptr;
            if (baseline.predictedNs)
                json["baselines"][name] = *baseline.predictedNs;
            else
                json["baseline_obstacles"][name] = baseline.unknown;
            if (baseline.p95Ns)
                json["baselines_p95"][name] = *baseline.p95Ns;
        }
    }

} // namespace

nlohmann::ordered_json toJson(const SearchResult &result, const MeasuredJob &job,
                              const StrategyOrigin &origin)
{
    const Candidate *const advised = result.advised();
    const std::int64_t bestNs = advised != nullptr ? advised->predictedNs : result.baselineNs;
    nlohmann::ordered_json json;
    json["baseline_ns"] = result.baselineNs;
    json["best_ns"] = bestNs;
    json["speedup"] = static_cast<double>(result.baselineNs)
        / static_cast<double>(std::max<std::int64_t>(1, bestNs));
    json["strategy"] = nlohmann::ordered_json::parse(strategyText(result, advised, job, origin));
    json["candidates"] = nlohmann::ordered_json::array();
    for (const Candidate &candidate : result.candidates)
        json["candidates"].push_back(candidateJson(candidate));
    json["alike"] = result.alike.size() + (advised != nullptr ? 1 : 0);
    json["steps"] = nlohmann::ordered_json::array();
    for (const SearchStep &step : result.steps) {
        nlohmann::ordered_json one { { "wall_ms", step.wallMs },
                                     { "pass", step.pass },
                                     { "change", step.change },
                                     { "reason", step.reason },
                                     { "accepted", step.isAccepted } };
        if (step.predictedNs)
            one["predicted_ns"] = *step.predictedNs;
        if (step.isTooLarge)
            one["is_too_large"] = true;
        json["steps"].push_back(std::move(one));
    }
    json["obstacles"] = result.obstacles;
    addBaselines(result, json);
    json["notes"] = searchNotes(result);
    if (!result.memoryUnknown.empty())
        json["memory_unknown"] = result.memoryUnknown;
    json["is_stopped"] = result.isStopped;
    json["is_out_of_time"] = result.isOutOfTime;
    json["search_wall_ns"] = result.wallNs;
    json["replays"] = result.replays;
    json["skeleton_replays"] = result.guesses;
    return json;
}

} // namespace core
