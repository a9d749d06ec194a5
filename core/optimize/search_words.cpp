#include "core/optimize/search_words.h"

#include "core/base/duration_text.h"
#include "core/optimize/pass_list.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace core {

namespace {

    std::int64_t adviceNs(const SearchResult &result)
    {
        const Candidate *const advised = result.advised();
        return advised != nullptr ? advised->predictedNs : result.baselineNs;
    }

    bool isOfAnotherSystem(std::string_view pass)
    {
        return std::any_of(passes().begin(), passes().end(), [pass](const auto &one) {
            return one->info().name == pass && one->info().isAnotherSystem;
        });
    }

    bool isTried(const SearchResult &result, const Strategy &strategy)
    {
        return !strategy.isEmpty()
            && std::any_of(result.steps.begin(), result.steps.end(),
                           [&](const SearchStep &step) { return step.strategy == strategy; });
    }

    /// "BytePS's defaults 403.6 ms": what precedes the title's colon.
    std::string shortText(const Baseline &baseline)
    {
        return std::string(baseline.title.substr(0, baseline.title.find(':'))) + " "
            + durationText(*baseline.predictedNs);
    }

    /// Those that are faster than the advice by what is worth having; Daydream's is no setting.
    std::string fasterBaselinesText(const SearchResult &result)
    {
        const std::int64_t limitNs = adviceNs(result)
            - static_cast<std::int64_t>(LeastGain * static_cast<double>(result.baselineNs));
        std::string faster;
        std::set<std::string_view> names;
        for (const Baseline &baseline : result.baselines) {
            if (baseline.pass.empty() || !baseline.predictedNs || *baseline.predictedNs >= limitNs
                || isTried(result, baseline.strategy))
                continue;
            faster += (faster.empty() ? "" : ", ") + shortText(baseline);
            if (isOfAnotherSystem(baseline.pass))
                names.insert(baseline.pass);
        }
        if (faster.empty())
            return {};
        std::string search;
        for (const std::string_view name : names)
            search += (search.empty() ? " Search them with --passes " : ",") + std::string(name);
        return "Faster, but not searched: " + faster + "." + search + (search.empty() ? "" : ".");
    }

    /// A comparison with the mean of all orders, as TicTac's paper makes it.
    std::string chanceText(const SearchResult &result)
    {
        std::optional<std::int64_t> ticTacNs;
        for (const SearchStep &step : result.steps)
            if (step.pass == "tictac" && step.predictedNs)
                ticTacNs = std::min(ticTacNs.value_or(*step.predictedNs), *step.predictedNs);
        for (const Baseline &baseline : result.baselines)
            if (baseline.name == "random_order" && ticTacNs && baseline.predictedNs
                && *baseline.predictedNs < *ticTacNs)
                return "Orders by chance (mean " + durationText(*baseline.predictedNs)
                    + ") beat TIC and TAC (" + durationText(*ticTacNs)
                    + "): these ignore when gradients are ready.";
        return {};
    }

} // namespace

std::vector<std::string> searchNotes(const SearchResult &result)
{
    std::vector<std::string> notes { fasterBaselinesText(result), chanceText(result) };
    std::erase(notes, std::string());
    return notes;
}

std::vector<std::string> obstacleLines(const SearchResult &result)
{
    std::map<std::string, std::string> passesOf; // by reason
    for (const auto &[pass, reason] : result.obstacles)
        passesOf[reason] += (passesOf[reason].empty() ? "" : ", ") + pass;
    std::vector<std::string> lines;
    lines.reserve(passesOf.size());
    for (const auto &[reason, names] : passesOf)
        lines.push_back(names + ": " + reason);
    return lines;
}

bool isNothingTried(const SearchResult &result)
{
    const bool hasTried
        = std::any_of(result.steps.begin(), result.steps.end(),
                      [](const SearchStep &step) { return step.pass != StartStep; });
    return !hasTried && !result.isStopped && !result.isOutOfTime;
}

std::string environmentText(const SearchResult &result)
{
    std::string text;
    for (const auto &[key, value] : result.environment.list())
        text += (text.empty() ? " at " : ", ") + key + "=" + value;
    return text;
}

std::string trustText(const Candidate &candidate)
{
    return candidate.trust ? std::string(trustLevelName(*candidate.trust)) : "not judged";
}

std::string_view numericsName(Numerics numerics)
{
    return numerics == Numerics::Exact ? "same" : "compressed";
}

std::string gainText(const SearchResult &result, const Candidate &candidate)
{
    const double fraction = static_cast<double>(candidate.gainNs)
        / static_cast<double>(std::max<std::int64_t>(1, result.baselineNs));
    return durationText(candidate.gainNs) + ", " + percentText(fraction);
}

std::string gainIntervalText(const Candidate &candidate)
{
    if (!candidate.unknownInterval.empty())
        return "not known: " + candidate.unknownInterval;
    return durationText(candidate.gainLowNs) + " to " + durationText(candidate.gainHighNs);
}

std::string adviceText(const SearchResult &result)
{
    if (const Candidate *const advised = result.advised()) {
        const bool mayBeNothing = advised->unknownInterval.empty() && advised->gainLowNs <= 0;
        return "Use " + advised->change + (mayBeNothing ? ": may save " : ": saves ")
            + gainText(result, *advised) + " of each iteration" + environmentText(result)
            + (mayBeNothing ? ", or nothing." : ".");
    }
    if (result.steps.empty())
        return "Nothing could be tried.";
    if (!result.candidates.empty())
        return "No advice: what would save time is predicted poorly. "
            + result.candidates.front().trustReason;
    return "No gain worth having: no strategy saves 1 % of the " + durationText(result.baselineNs)
        + " iteration" + environmentText(result) + ".";
}

} // namespace core
