#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace core {

/// The longest time of a rewritten op, eleven days: thousands of them in a row are still an int64
/// of nanoseconds.
inline constexpr double LongestOpNs = 1e15;

/// Rounded to nanoseconds, 0 to LongestOpNs.
inline std::int64_t boundedNs(double ns)
{
    return std::llround(std::clamp(ns, 0.0, LongestOpNs));
}

/// A duration or delay times a factor of a what-if.
inline std::int64_t scaledBy(std::int64_t ns, double factor)
{
    return boundedNs(static_cast<double>(ns) * factor);
}

} // namespace core
