#pragma once

#include <cstdint>
#include <limits>

// Sums and differences of times that a damaged trace may have put further apart than 64 bits hold.

namespace core {

/// a + b, or the nearest int64.
constexpr std::int64_t saturatedSum(std::int64_t a, std::int64_t b)
{
    std::int64_t sum = 0;
    if (!__builtin_add_overflow(a, b, &sum))
        return sum;
    return a < 0 ? std::numeric_limits<std::int64_t>::min()
                 : std::numeric_limits<std::int64_t>::max();
}

/// a - b, or the nearest int64.
constexpr std::int64_t saturatedDifference(std::int64_t a, std::int64_t b)
{
    std::int64_t difference = 0;
    if (!__builtin_sub_overflow(a, b, &difference))
        return difference;
    return a < 0 ? std::numeric_limits<std::int64_t>::min()
                 : std::numeric_limits<std::int64_t>::max();
}

} // namespace core
