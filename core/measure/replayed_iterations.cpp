#include "core/measure/replayed_iterations.h"

#include <algorithm>

namespace core {

bool ReplayedIterations::counts(std::size_t i) const
{
    return i >= warmUp
        && !std::binary_search(kept.begin(), kept.end(), static_cast<std::int32_t>(i));
}

std::vector<std::int64_t> ReplayedIterations::countedNs() const
{
    std::vector<std::int64_t> counted;
    for (std::size_t i = 0; i < periodNs.size(); ++i)
        if (counts(i))
            counted.push_back(periodNs[i]);
    return counted;
}

std::size_t ReplayedJob::warmUp() const
{
    std::size_t most = 0;
    for (const ReplayedIterations &own : iterations)
        most = std::max(most, own.warmUp);
    return most;
}

std::size_t ReplayedJob::periodLength() const
{
    std::size_t length = 1;
    if (!iterations.empty())
        for (const std::uint32_t position : iterations.front().positions)
            length = std::max<std::size_t>(length, position + 1);
    return length;
}

bool ReplayedJob::counts(std::size_t i) const
{
    return std::all_of(iterations.begin(), iterations.end(),
                       [i](const ReplayedIterations &own) { return own.counts(i); });
}

} // namespace core
