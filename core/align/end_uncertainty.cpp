#include "core/align/end_uncertainty.h"

#include "core/align/densest_half.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace core {

namespace {

    constexpr double TickNs = 1000; ///< of the clocks of traces

    bool isContradicted(const EndDistance &distance)
    {
        return distance.ns > distance.latestNs + TickNs
            || distance.ns < distance.earliestNs - TickNs;
    }

    /// What one length of collectives says.
    struct Level
    {
        double ns = 0, error = 0;
    };

} // namespace

double disagreementNs(const std::vector<EndDistance> &distances)
{
    std::map<long, std::vector<double>> byLength;
    for (const EndDistance &distance : distances)
        byLength[std::lround(2 * std::log2(std::max(distance.collectiveNs, 1.0)))].push_back(
            distance.ns);
    std::vector<Level> levels;
    for (auto &[length, values] : byLength) {
        if (values.size() < 3)
            continue;
        const auto count = static_cast<double>(values.size());
        const DensestHalf<double> half = densestHalf(std::move(values));
        levels.push_back({ half.middle, std::max(half.width, TickNs) / std::sqrt(count) });
    }
    double apart = 0;
    for (const Level &a : levels)
        for (const Level &b : levels)
            if (std::abs(a.ns - b.ns) > 4 * std::hypot(a.error, b.error))
                apart = std::max(apart, std::abs(a.ns - b.ns));
    return apart;
}

double medianReachNs(const std::vector<EndDistance> &distances)
{
    std::vector<double> values;
    for (const EndDistance &distance : distances)
        if (distance.ranks > 2)
            values.push_back(distance.ns);
    if (values.size() < 3)
        return 0;
    std::sort(values.begin(), values.end());
    const auto count = static_cast<double>(values.size());
    const double skipped = std::floor(count / 2 - std::sqrt(count));
    const auto low = static_cast<std::size_t>(std::max(0.0, skipped));
    return (values[values.size() - 1 - low] - values[low]) / 2;
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
