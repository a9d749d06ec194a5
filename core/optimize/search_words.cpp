#include "core/optimize/search_words.h"

#include "core/base/duration_text.h"

#include <algorithm>

namespace core {

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
