#include "core/predict/wide_interval.h"

#include "core/base/duration_text.h"
#include "core/measure/typical_iteration.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

namespace core {

namespace {

    constexpr std::size_t FewestToCompare = 3; ///< iterations

    /// By their time.
    std::vector<CommonIteration> sortedIterations(const Trace &trace)
    {
        std::vector<CommonIteration> all = commonIterations(trace);
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

    /// What of a change the trace tells least.
    std::string unsureText(const Prediction &result)
    {
        constexpr double SmallError = 0.02;
        switch (result.widest) {
        case IntervalSource::Iterations:
            break;
        case IntervalSource::Links:
            return "the trace tells little of what its transfers take at other rates or sizes.";
        case IntervalSource::Overlap:
            return "the trace tells little of how much transfers slow down the computation beside "
                   "them.";
        case IntervalSource::Waits:
            return "the trace does not tell what collectives wait for, or what waits for them.";
        case IntervalSource::Unchecked:
            return "this is farther from the recording than predictions were checked for.";
        case IntervalSource::Batch:
            return "the trace tells little of how the layers' time goes with the batch.";
        case IntervalSource::Compute:
            return "the trace tells little of what goes with a processor's speed.";
        case IntervalSource::OtherRanks:
            return "the trace tells little of how long other ranks wait, and of whose cores they "
                   "share.";
        case IntervalSource::Latency:
            return "the trace does not tell how long a link idles for each transfer. If it is "
                   "longer than taken here, other sizes of transfers take up to the interval's "
                   "upper end.";
        }
        return result.replayErrorFraction <= SmallError
            ? "its iterations lie far apart."
            : "its iterations lie far apart, and the replay of the unchanged trace is off by "
                + percentText(result.replayErrorFraction) + ".";
    }

} // namespace

std::string whyWide(const Trace &trace, const Prediction &result)
{
    const std::vector<CommonIteration> all = sortedIterations(trace);
    const std::int64_t apartNs = all.empty() ? 0 : all.back().slowestNs - all.front().slowestNs;
    const bool isByIterations
        = 2 * static_cast<double>(apartNs) >= static_cast<double>(result.ciHighNs - result.ciLowNs);
    if (!result.strategy.isEmpty() && !isByIterations)
        return unsureText(result);
    if (all.size() < FewestToCompare)
        return "the iterations lie far apart.";
    return oddIterationText(all).value_or("the " + std::to_string(all.size()) + " iterations took "
                                          + rangeText(all.front().slowestNs, all.back().slowestNs)
                                          + ".");
}

} // namespace core
