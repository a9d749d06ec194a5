#pragma once

#include <array>
#include <cstddef>

namespace core {

/// Student's t, two-sided 95 %, by degrees of freedom from 1 (beyond ten by its expansion around
/// the normal distribution's, Abramowitz and Stegun 26.7.5).
inline double studentT95(std::size_t degrees)
{
    constexpr std::array<double, 10> Table
        = { 12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23 };
    return degrees <= Table.size() ? Table[degrees - 1] : 1.96 + 2.5 / static_cast<double>(degrees);
}

} // namespace core
