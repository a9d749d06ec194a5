#include "core/scenario/wide_interval.h"

#include "core/base/duration_text.h"
#include "core/model/compared_iterations.h"
#include "core/scenario/typical_iteration.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace core {

namespace {

    constexpr std::size_t FewestToCompare = 3; ///< iterations

    /// By their time.
    std::vector<CommonIteration> sortedIterations(const Trace &trace)
    {
        std::vector<CommonIteration> all
            = pairIterations(comparedIterations(trace).iterations, trace);
        std::stable_sort(all.begin(), all.end(),
                         [](const auto &a, const auto &b) { return a.slowestNs < b.slowestNs; });
        return all;
    }

    std::string rangeText(std::int64_t fromNs, std::int64_t toNs)
    {
        return durationText(fromNs) + " to " + durationText(toNs);
    }

    /// Of the longest or the shortest, if it is farther from the next than the others lie apart;
    /// `all` by their time.
    std::optional<std::string> oddIterationText(const std::vector<CommonIteration> &all)
    {
        const std::size_t last = all.size() - 1;
        const auto ns = [&all](std::size_t i) { return all[i].slowestNs; };
        const bool isLong = ns(last) - ns(last - 1) > ns(last - 1) - ns(0);
        const bool isShort = ns(1) - ns(0) > ns(last) - ns(1);
        if (!isLong && !isShort)
            return std::nullopt;
        const CommonIteration &odd = isLong ? all.back() : all.front();
        return "iteration " + std::to_string(odd.index) + " took " + durationText(odd.slowestNs)
            + ", the others " + rangeText(ns(isLong ? 0 : 1), ns(isLong ? last - 1 : last)) + ".";
    }

} // namespace

TrustReason whyWide(const Trace &trace, const ScenarioResult &result)
{
    const std::vector<CommonIteration> all = sortedIterations(trace);
    const std::int64_t apartNs = all.empty() ? 0 : all.back().slowestNs - all.front().slowestNs;
    const bool isByIterations
        = 2 * static_cast<double>(apartNs) >= static_cast<double>(result.ciHighNs - result.ciLowNs);
    if (!result.settings.isEmpty() && !isByIterations)
        return { TrustLevel::Fair, "the trace tells little of what this changes." };
    if (all.size() < FewestToCompare)
        return { TrustLevel::Good, "the iterations lie far apart." };
    return { TrustLevel::Good,
             oddIterationText(all).value_or(
                 "the " + std::to_string(all.size()) + " iterations took "
                 + rangeText(all.front().slowestNs, all.back().slowestNs) + ".") };
}

} // namespace core
