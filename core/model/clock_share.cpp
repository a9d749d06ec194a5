#include "core/model/clock_share.h"

#include "core/base/duration_text.h"
#include "core/base/median_ns.h"
#include "core/model/step_marks.h"

#include <algorithm>

namespace core {

namespace {

    std::int64_t medianIterationNs(std::span<const Iteration> iterations)
    {
        std::vector<std::int64_t> durations;
        durations.reserve(iterations.size());
        for (const Iteration &iteration : iterations)
            durations.push_back(iteration.range.durationNs());
        return std::max<std::int64_t>(0, medianNs(std::move(durations)));
    }

} // namespace

std::optional<double> ClockUncertainty::share() const
{
    if (iterationNs == 0)
        return {};
    return static_cast<double>(ns) / static_cast<double>(iterationNs);
}

bool ClockUncertainty::isSmall() const
{
    constexpr double SmallShare = 0.01;
    return hasIterations && share().value_or(1) < SmallShare;
}

bool ClockUncertainty::isTold() const
{
    constexpr double SmallestTold = 0.03;
    return share().value_or(0) >= SmallestTold;
}

bool ClockUncertainty::isLarge() const
{
    constexpr double LargeShare = 0.25;
    return share().value_or(0) > LargeShare;
}

std::string ClockUncertainty::warning() const
{
    constexpr int Digits = 2;
    return "The ranks' clocks may differ by up to " + durationText(ns, Digits) + ", "
        + percentText(share().value_or(0))
        + (hasIterations ? " of an iteration" : " of the recorded time")
        + ": who waits for whom, and for how long, is as unsure.";
}

std::optional<ClockUncertainty> clockUncertainty(const AlignmentReport &alignment,
                                                 std::span<const Track> tracks,
                                                 std::span<const Iteration> iterations)
{
    ClockUncertainty found;
    for (const Alignment &clock : alignment.workers)
        if (clock.isKnown && !clock.isReference)
            found.ns = std::max(found.ns, clock.uncertaintyNs);
    if (found.ns <= 0)
        return {};
    found.iterationNs = medianIterationNs(iterations);
    found.hasIterations = hasKnownIterations(tracks, iterations);
    return found;
}

} // namespace core
