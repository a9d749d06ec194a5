#include "tests/accuracy/cases.h"

#include "core/base/error.h"
#include "core/change/change_text.h"
#include "core/measure/parts.h"
#include "core/model/world_size.h"
#include "tests/support/predict.h"

#include <algorithm>
#include <cstdio>

namespace accuracy {

using core::Prediction;
using core::Strategy;

namespace {

    double ms(std::int64_t ns)
    {
        return static_cast<double>(ns) / 1e6;
    }

    Prediction run(const Bundle &bundle, const Strategy &settings)
    {
        core::Predictor predictor = *bundle.predictor;
        return tests::predict(predictor, settings);
    }

    void setParts(const Prediction &result, const Prediction &truth, Case &one)
    {
        const core::PartTimes &predicted = result.predictedParts, &measured = truth.measuredParts;
        const auto iterationNs
            = static_cast<double>(std::max<std::int64_t>(1, core::wholeNs(measured)));
        const auto error = [&](std::int64_t core::PartTimes::*part) {
            return static_cast<double>(predicted.*part - measured.*part) / iterationNs;
        };
        one.computeError = error(&core::PartTimes::computeNs);
        one.exposedError = error(&core::PartTimes::exposedCommNs);
        one.overlapError = error(&core::PartTimes::overlapNs);
        one.idleError = error(&core::PartTimes::idleNs);
        one.exposedShare = static_cast<double>(measured.exposedCommNs) / iterationNs;
    }

    /// `truth`: the bundle whose recording holds the parts.
    Case caseOf(const Bundle &from, const std::string &to, double truthMs, const Bundle &truth,
                const Prediction &result)
    {
        Case one;
        one.from = from.name;
        one.to = to;
        one.truthMs = truthMs;
        one.predictedMs = ms(result.predictedNs);
        one.lowMs = ms(result.ciLowNs);
        one.highMs = ms(result.ciHighNs);
        one.naiveMs = ms(result.daydreamNs.value_or(0));
        setParts(result, truth.unchanged, one);
        const core::Trace &trace = *from.project.trace;
        one.isWhole = static_cast<std::size_t>(core::statedWorldSize(trace).value_or(0))
            <= trace.workers.size();
        return one;
    }

    std::string wordOf(const std::string &key, const nlohmann::json &value)
    {
        return key + "=" + (value.is_string() ? value.get<std::string>() : value.dump());
    }

    struct SettingCase
    {
        const Bundle *from, *to;
        std::vector<std::string> words;
    };

    /// The setting that undoes one of `there`; empty where there is none.
    std::string undone(const std::string &key, const nlohmann::json &value,
                       const nlohmann::json &base)
    {
        if (key == "world_size")
            return wordOf(key, base["workers"]);
        if (key == "compute_scale" || key == "batch_scale")
            return wordOf(key, 1 / value.get<double>());
        if (key.starts_with("compute_scale:"))
            return "ideal_peers=1";
        if (key.starts_with("bandwidth_mbit:"))
            return wordOf(key, base["bandwidth_mbit"]);
        return {};
    }

    std::vector<SettingCase> statedCases(const Bundles &bundles)
    {
        std::vector<SettingCase> cases;
        for (const auto &bundle : bundles) {
            if (!bundle->meta.contains("what_if"))
                continue;
            const auto &whatIf = bundle->meta["what_if"];
            const auto base = std::find_if(bundles.begin(), bundles.end(), [&](const auto &other) {
                return other->name == whatIf.value("base", "");
            });
            if (base == bundles.end())
                continue;
            SettingCase there { base->get(), bundle.get(), {} };
            SettingCase back { bundle.get(), base->get(), {} };
            for (const auto &[key, value] : whatIf["settings"].items()) {
                there.words.push_back(wordOf(key, value));
                const std::string word = undone(key, value, (*base)->meta);
                if (!word.empty())
                    back.words.push_back(word);
            }
            cases.push_back(there);
            if (back.words.size() == there.words.size())
                cases.push_back(back);
        }
        return cases;
    }

} // namespace

std::vector<Case> selfReplays(const Bundles &bundles)
{
    std::vector<Case> cases;
    for (const auto &bundle : bundles) {
        const Prediction &result = bundle->unchanged;
        cases.push_back(caseOf(*bundle, "", ms(result.measuredNs), *bundle, result));
    }
    return cases;
}

std::vector<Case> bucketCases(const Bundles &bundles)
{
    std::vector<Case> cases;
    for (const auto &from : bundles)
        for (const auto &to : bundles) {
            const bool arePlain
                = from->isPlain() && to->isPlain() && from->jobName() == to->jobName();
            if (from == to || (!arePlain && !from->isSameButForBandwidth(*to)))
                continue;
            Strategy settings;
            if (arePlain)
                settings.set({ "bucket_cap_mb",
                               static_cast<double>(to->meta.value("bucket_cap_mb", 25.0)) });
            settings.set({ "bandwidth_mbit", static_cast<double>(to->bandwidthMbit()) });
            cases.push_back(caseOf(*from, to->name, to->truthMs, *to, run(*from, settings)));
            cases.back().bandwidthMbit = to->bandwidthMbit();
        }
    return cases;
}

std::vector<Case> settingCases(const Bundles &bundles)
{
    std::vector<Case> cases;
    for (const SettingCase &stated : statedCases(bundles)) {
        std::string text;
        for (const std::string &word : stated.words)
            text += (text.empty() ? "" : " ") + word;
        try {
            const Prediction result = run(*stated.from, core::parseStrategy(stated.words));
            cases.push_back(caseOf(*stated.from, text, stated.to->truthMs, *stated.to, result));
            cases.back().bandwidthMbit = stated.to->bandwidthMbit();
        } catch (const core::UsageError &) {
            std::printf("%-38s %s: not a setting\n", stated.from->name.c_str(), text.c_str());
        } catch (const core::Error &error) {
            std::printf("%-38s %s: %s\n", stated.from->name.c_str(), text.c_str(), error.what());
        }
    }
    return cases;
}

} // namespace accuracy
