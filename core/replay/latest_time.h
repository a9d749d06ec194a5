#pragma once

#include <cstdint>

namespace core {

/// Where a replay's clock stops: the sum of impossibly long ops of a damaged trace is no int64.
inline constexpr std::int64_t LatestNs = 4'000'000'000'000'000'000;

/// `durationNs` after `ns`, or LatestNs; neither is negative.
constexpr std::int64_t laterNs(std::int64_t ns, std::int64_t durationNs)
{
    return durationNs < LatestNs - ns ? ns + durationNs : LatestNs;
}

} // namespace core
