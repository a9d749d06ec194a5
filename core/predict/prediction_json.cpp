#include "core/predict/prediction_json.h"

#include "core/fit/links/link_bandwidth.h"
#include "core/fit/links/link_text.h"
#include "core/measure/parts.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace core {

namespace {

    nlohmann::ordered_json part(std::int64_t measuredNs, std::int64_t predictedNs)
    {
        return { { "measured_ns", measuredNs }, { "predicted_ns", predictedNs } };
    }

    /// All are always there; how exposed communication divides is null where it is not known.
    nlohmann::ordered_json partsJson(const PartTimes &measured, const PartTimes &predicted)
    {
        nlohmann::ordered_json json { { "compute", nullptr },
                                      { "exposed_comm",
                                        part(measured.exposedCommNs, predicted.exposedCommNs) },
                                      { "overlap", nullptr },
                                      { "mem_only", part(measured.memOnlyNs, predicted.memOnlyNs) },
                                      { "idle", nullptr },
                                      { "exposed_transfer", nullptr },
                                      { "exposed_wait", nullptr } };
        constexpr std::pair<PartRow, const char *> Keys[]
            = { { PartRow::Compute, "compute" },
                { PartRow::Overlap, "overlap" },
                { PartRow::Idle, "idle" },
                { PartRow::ExposedTransfer, "exposed_transfer" },
                { PartRow::Waiting, "exposed_wait" } };
        for (const PartTime &time : partRows(measured, predicted))
            for (const auto &[row, key] : Keys)
                if (row == time.row)
                    json[key] = part(time.measuredNs, time.predictedNs);
        return json;
    }

    nlohmann::ordered_json linkJson(const LinkModel &link, const std::vector<LinkModel> &links)
    {
        nlohmann::ordered_json json {
            { "group", link.group },
            { "alpha_ns", std::llround(link.alphaNs) },
            { "alpha_ci95_ns", { std::llround(link.alphaLowNs), std::llround(link.alphaHighNs) } },
            { "alpha_unsure", nullptr },
            { "beta_ns_per_byte", link.betaNsPerByte },
            { "beta_ci95", { link.betaLow, link.betaHigh } },
            { "rate_mbit", link.rateMbit() },
            { "transfers", link.transfers },
            { "median_error_fraction", link.medianErrorFraction },
            { "nominal_mbit", nullptr },
            { "doubted_mbit", nullptr },
            { "kept_rate", nullptr },
            { "bandwidth_mbit", link.bandwidthMbit },
            { "stated_algorithms", nullptr },
            { "chosen_algorithms", nullptr },
            { "choice_assumes", nullptr },
            { "assumed_rings", link.assumedRings },
            { "no_choice", nullptr }
        };
        if (const std::string doubt = latencyDoubtText(link); !doubt.empty())
            json["alpha_unsure"] = doubt;
        if (const std::string unknown = unknownLatencyText(link); !unknown.empty()) {
            json["alpha_ci95_ns"] = nullptr; // of what is measured
            json["alpha_unsure"] = unknown;
        }
        if (!link.statedAlgorithms.empty())
            json["stated_algorithms"] = link.statedAlgorithms;
        for (const auto &[name, transfers] : link.chosenAlgorithms)
            json["chosen_algorithms"][name] = transfers;
        if (!link.choiceAssumes.empty())
            json["choice_assumes"] = link.choiceAssumes;
        if (!link.noChoice.empty())
            json["no_choice"] = link.noChoice;
        if (link.nominalMbit)
            json["nominal_mbit"] = *link.nominalMbit;
        if (link.doubtedMbit > 0)
            json["doubted_mbit"] = link.doubtedMbit;
        if (const std::string kept = keptRateText(link, links); !kept.empty())
            json["kept_rate"] = kept;
        return json;
    }

    void addScheduling(nlohmann::ordered_json &json, const SchedulingEfficiency &scheduling)
    {
        json["efficiency"] = scheduling.efficiency;
        json["speedup"] = scheduling.speedup;
    }

    nlohmann::ordered_json deviceJson(const DeviceEfficiency &device)
    {
        nlohmann::ordered_json json { { "device", device.device }, { "load_ns", device.loadNs } };
        addScheduling(json, device.scheduling);
        return json;
    }

    /// A number, or a word.
    nlohmann::ordered_json settingJson(const std::string &text)
    {
        auto number = nlohmann::ordered_json::parse(text, nullptr, false);
        return number.is_discarded() ? nlohmann::ordered_json(text) : number;
    }

} // namespace

nlohmann::ordered_json strategyJson(const Strategy &strategy)
{
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    for (const auto &[key, value] : strategy.list())
        json[key] = settingJson(value);
    return json;
}

nlohmann::ordered_json trustJson(const Prediction &result)
{
    return { { "grade", trustLevelName(result.trust) },
             { "replay_error_fraction", result.replayErrorFraction },
             { "reasons", result.trustReasons } };
}

nlohmann::ordered_json schedulingJson(const Prediction &result)
{
    nlohmann::ordered_json json;
    addScheduling(json, result.scheduling);
    json["ranks"] = nlohmann::ordered_json::array();
    for (const RankEfficiency &rank : result.rankScheduling) {
        nlohmann::ordered_json ofRank { { "rank", rank.rank },
                                        { "iterations", rank.iterations },
                                        { "makespan_ns", rank.makespanNs } };
        addScheduling(ofRank, rank.scheduling);
        ofRank["devices"] = nlohmann::ordered_json::array();
        for (const DeviceEfficiency &device : rank.devices)
            ofRank["devices"].push_back(deviceJson(device));
        json["ranks"].push_back(std::move(ofRank));
    }
    return json;
}

nlohmann::ordered_json toJson(const Prediction &result)
{
    nlohmann::ordered_json json;
    json["measured_ns"] = result.measuredNs;
    json["predicted_ns"] = result.predictedNs;
    json["error_fraction"] = result.measuredNs
        ? static_cast<double>(result.predictedNs - result.measuredNs)
            / static_cast<double>(result.measuredNs)
        : 0.0;
    json["ci95_ns"] = nullptr;
    json["ci95_unknown"] = nullptr;
    if (result.unknownInterval)
        json["ci95_unknown"] = *result.unknownInterval;
    else
        json["ci95_ns"] = { result.ciLowNs, result.ciHighNs };
    json["baselines"] = { { "daydream_ns", nullptr } };
    if (result.daydreamNs)
        json["baselines"]["daydream_ns"] = *result.daydreamNs;
    json["trust"] = trustJson(result);
    json["ranks"] = nlohmann::ordered_json::array();
    for (const RankPrediction &rank : result.ranks)
        json["ranks"].push_back({ { "rank", rank.rank },
                                  { "measured_ns", rank.measuredNs },
                                  { "predicted_ns", rank.predictedNs } });
    json["parts"] = partsJson(result.measuredParts, result.predictedParts);
    json["servers"] = result.serverRanks;
    json["mean_iteration"] = part(wholeNs(result.measuredParts), wholeNs(result.predictedParts));
    json["warm_up_iterations"] = result.warmUp();
    json["period_iterations"] = result.periodLength();
    json["settings"] = strategyJson(result.strategy);
    json["no_change"] = nullptr;
    if (result.noChange)
        json["no_change"] = *result.noChange;
    json["no_effect"] = nullptr;
    if (result.noEffect)
        json["no_effect"] = *result.noEffect;
    json["scheduling_efficiency"] = result.scheduling.efficiency;
    json["scheduling"] = schedulingJson(result);
    json["links"] = nlohmann::ordered_json::array();
    for (const LinkModel &link : result.links)
        json["links"].push_back(linkJson(link, result.links));
    json["ops"] = result.graph->size();
    json["replay_wall_ns"] = result.replay->wallNs;
    return json;
}

} // namespace core
