#include "core/align/collective_ends/end_uncertainty.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

namespace core {

namespace {

    constexpr double Unbounded = std::numeric_limits<double>::infinity();
    constexpr double TickNs = 1000; ///< of the clocks of traces
    /// What makes an end late makes the collective longer, so that some of one length may be late
    /// by chance: of two times five all of one kind are once in 126. No payload is of chance.
    constexpr std::size_t FewestOfPayload = 2, FewestOfLength = 5;
    /// So many times as far as kinds are apart, the truth may lie beyond all that they say.
    constexpr double Beyond = 2;

    std::uint64_t payloadOf(const EndDistance &distance)
    {
        return distance.bytes;
    }

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
        std::size_t count = 0;
    };

    Level levelOf(std::vector<double> values)
    {
        std::sort(values.begin(), values.end());
        const auto count = static_cast<double>(values.size());
        const double skipped = std::max(0.0, std::floor(count / 2 - std::sqrt(count)));
        const auto low = static_cast<std::size_t>(skipped);
        return { values[values.size() / 2], values[low] - TickNs,
                 values[values.size() - 1 - low] + TickNs, values.size() };
    }

    /// What each kind of collectives says: `kindOf` tells a distance's, `fewest` are enough for
    /// one.
    template <class KindOf>
    std::vector<Level> levelsOf(const std::vector<EndDistance> &distances, std::size_t fewest,
                                KindOf kindOf)
    {
        std::map<decltype(kindOf(distances.front())), std::vector<double>> byKind;
        for (const EndDistance &distance : distances)
            byKind[kindOf(distance)].push_back(distance.ns);
        std::vector<Level> levels;
        for (auto &[kind, values] : byKind)
            if (values.size() >= fewest)
                levels.push_back(levelOf(std::move(values)));
        return levels;
    }

    /// Those between which the median kind lies (the sign test again, of kinds by how many
    /// collectives they have): of many kinds some are apart by chance.
    std::vector<Level> middleOf(std::vector<Level> levels)
    {
        std::sort(levels.begin(), levels.end(),
                  [](const Level &a, const Level &b) { return a.ns < b.ns; });
        const auto all = static_cast<double>(
            std::accumulate(levels.begin(), levels.end(), std::size_t { 0 },
                            [](std::size_t sum, const Level &level) { return sum + level.count; }));
        const double tail = all
            * (0.5 - 1 / std::sqrt(static_cast<double>(std::max<std::size_t>(levels.size(), 1))));
        std::vector<Level> middle;
        double before = 0;
        for (const Level &level : levels) {
            const double after = before + static_cast<double>(level.count);
            if (after > tail && before < all - tail)
                middle.push_back(level);
            before = after;
        }
        return middle;
    }

    /// From the least to the most that those say which disagree with another; nothing if the
    /// intervals of all have a place in common.
    std::optional<std::pair<double, double>> disagreeing(const std::vector<Level> &levels)
    {
        double latestLowNs = -Unbounded, earliestHighNs = Unbounded;
        for (const Level &level : levels) {
            latestLowNs = std::max(latestLowNs, level.lowNs);
            earliestHighNs = std::min(earliestHighNs, level.highNs);
        }
        double leastNs = Unbounded, mostNs = -Unbounded;
        for (const Level &level : levels)
            if (level.highNs < latestLowNs || level.lowNs > earliestHighNs) {
                leastNs = std::min(leastNs, level.ns);
                mostNs = std::max(mostNs, level.ns);
            }
        if (leastNs > mostNs)
            return {};
        return std::pair { leastNs, mostNs };
    }

    double disagreementNs(const std::vector<Level> &levels)
    {
        const auto range = disagreeing(levels);
        if (!range)
            return 0;
        const auto [leastNs, mostNs] = *range;
        return std::max(std::abs(leastNs), std::abs(mostNs)) + Beyond * (mostNs - leastNs);
    }

} // namespace

double disagreementNs(const std::vector<EndDistance> &distances)
{
    const auto byPayload = levelsOf(distances, FewestOfPayload, payloadOf);
    const auto byLength = levelsOf(distances, FewestOfLength, [](const EndDistance &distance) {
        return std::lround(2 * std::log2(std::max(distance.collectiveNs, 1.0)));
    });
    return std::max(disagreementNs(middleOf(byPayload)), disagreementNs(byLength));
}

double unequalLinksNs(const std::vector<EndDistance> &distances)
{
    // Of many ranks two payloads are apart by chance where each has but two collectives.
    const auto range = disagreeing(middleOf(levelsOf(distances, FewestOfLength, payloadOf)));
    return range ? Beyond * (range->second - range->first) : 0;
}

double feasibleReachNs(const std::vector<EndDistance> &distances)
{
    double later = Unbounded, earlier = Unbounded;
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
