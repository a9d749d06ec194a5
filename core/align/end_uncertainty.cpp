#include "core/align/end_uncertainty.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace core {

namespace {

    constexpr double TickNs = 1000; ///< of the clocks of traces

    bool isContradicted(const EndDistance &distance)
    {
        return distance.ns > distance.latestNs + TickNs
            || distance.ns < distance.earliestNs - TickNs;
    }

    /// What one kind of collectives says: the median and its 95 % interval (order statistics of
    /// the sign test).
    struct Level
    {
        double ns = 0, lowNs = 0, highNs = 0;
    };

    Level levelOf(std::vector<double> values)
    {
        std::sort(values.begin(), values.end());
        const auto count = static_cast<double>(values.size());
        const double skipped = std::max(0.0, std::floor(count / 2 - std::sqrt(count)));
        const auto low = static_cast<std::size_t>(skipped);
        return { values[values.size() / 2], values[low] - TickNs,
                 values[values.size() - 1 - low] + TickNs };
    }

    /// Collectives of equal payload; where it is not known, of equal length in steps of half an
    /// octave.
    std::vector<Level> levelsOf(const std::vector<EndDistance> &distances)
    {
        constexpr std::size_t FewestOfLevel = 3;
        std::map<std::pair<std::uint64_t, long>, std::vector<double>> byLevel;
        for (const EndDistance &distance : distances) {
            const long length = distance.bytes > 0
                ? 0
                : std::lround(2 * std::log2(std::max(distance.collectiveNs, 1.0)));
            byLevel[{ distance.bytes, length }].push_back(distance.ns);
        }
        std::vector<Level> levels;
        for (auto &[level, values] : byLevel)
            if (values.size() >= FewestOfLevel)
                levels.push_back(levelOf(std::move(values)));
        return levels;
    }

} // namespace

double disagreementNs(const std::vector<EndDistance> &distances)
{
    const std::vector<Level> levels = levelsOf(distances);
    double apart = 0, farthest = 0;
    for (const Level &a : levels)
        for (const Level &b : levels)
            if (a.highNs < b.lowNs) {
                apart = std::max(apart, b.ns - a.ns);
                farthest = std::max({ farthest, std::abs(a.ns), std::abs(b.ns) });
            }
    return farthest + 2 * apart;
}

double feasibleReachNs(const std::vector<EndDistance> &distances)
{
    double later = std::numeric_limits<double>::infinity(), earlier = later;
    for (const EndDistance &distance : distances) {
        later = std::min(later, distance.latestNs - distance.ns);
        earlier = std::min(earlier, distance.ns - distance.earliestNs);
    }
    return std::max({ 0.0, later, earlier });
}

double contradictedReachNs(const std::vector<EndDistance> &distances)
{
    const auto contradicted = std::count_if(distances.begin(), distances.end(), isContradicted);
    if (contradicted == 0)
        return 0;
    std::vector<double> values(distances.size());
    std::transform(distances.begin(), distances.end(), values.begin(),
                   [](const EndDistance &distance) { return distance.ns; });
    std::sort(values.begin(), values.end());
    const auto count = static_cast<double>(values.size());
    const double share = std::min(static_cast<double>(contradicted) / count, 0.5);
    const double biased = count * share / (2 * (1 - share));
    const double skipped = std::floor(count / 2 - biased - std::sqrt(count));
    const auto low = static_cast<std::size_t>(std::max(0.0, skipped));
    return std::max({ 0.0, -values[low], values[values.size() - 1 - low] });
}

} // namespace core
