#include "core/model/clock_share.h"

#include <algorithm>

namespace core {

std::optional<std::int64_t> medianIterationNs(const std::vector<Iteration> &iterations)
{
    std::vector<std::int64_t> durations;
    durations.reserve(iterations.size());
    for (const Iteration &iteration : iterations)
        durations.push_back(iteration.range.durationNs());
    if (durations.empty())
        return {};
    const auto middle = durations.begin() + static_cast<std::ptrdiff_t>(durations.size() / 2);
    std::nth_element(durations.begin(), middle, durations.end());
    return *middle > 0 ? std::optional(*middle) : std::nullopt;
}

std::optional<ClockUncertainty> clockUncertainty(const AlignmentReport &alignment,
                                                 const std::vector<Iteration> &iterations)
{
    ClockUncertainty found;
    for (const Alignment &clock : alignment.workers)
        if (clock.isKnown && !clock.isReference)
            found.ns = std::max(found.ns, clock.uncertaintyNs);
    const auto iterationNs = medianIterationNs(iterations);
    if (found.ns <= 0 || !iterationNs)
        return {};
    found.ofIteration = static_cast<double>(found.ns) / static_cast<double>(*iterationNs);
    return found;
}

} // namespace core
