#include "core/optimize/metropolis.h"

#include <cmath>

namespace core {

bool isTakenAt(double temperatureNs, double longerNs, std::mt19937_64 &random)
{
    if (longerNs < 0)
        return true;
    constexpr std::uint64_t Parts = 1U << 30U; // std::uniform_real_distribution differs by library
    const double chance = static_cast<double>(random() % Parts) / static_cast<double>(Parts);
    return temperatureNs > 0 && chance < std::exp(-longerNs / temperatureNs);
}

std::size_t chosenOf(std::size_t count, std::mt19937_64 &random)
{
    return static_cast<std::size_t>(random() % count);
}

} // namespace core
