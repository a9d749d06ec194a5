#include "core/blocks/repeats.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace core {

namespace {

    constexpr std::size_t MostPeriods = 24; ///< that are tried

    /// Distances between neighbours of one value, the most frequent first.
    std::vector<std::size_t> likelyPeriods(std::span<const std::uint32_t> sequence)
    {
        std::unordered_map<std::uint32_t, std::size_t> last;
        std::unordered_map<std::size_t, std::size_t> counts;
        for (std::size_t i = 0; i < sequence.size(); ++i) {
            const auto [entry, isFirst] = last.try_emplace(sequence[i], i);
            if (!isFirst && i - entry->second >= ShortestPeriod)
                ++counts[i - entry->second];
            entry->second = i;
        }
        std::vector<std::pair<std::size_t, std::size_t>> sorted(counts.begin(), counts.end());
        std::sort(sorted.begin(), sorted.end(), [](const auto &a, const auto &b) {
            return a.second != b.second ? a.second > b.second : a.first < b.first;
        });
        std::vector<std::size_t> periods;
        for (std::size_t i = 0; i < std::min(MostPeriods, sorted.size()); ++i)
            periods.push_back(sorted[i].first);
        return periods;
    }

    /// The longest stretch of one period.
    Repeat longestOf(std::span<const std::uint32_t> sequence, std::size_t period)
    {
        Repeat best;
        std::size_t first = 0;
        for (std::size_t i = 0; i + period <= sequence.size(); ++i) {
            const bool isSame = i + period < sequence.size() && sequence[i] == sequence[i + period];
            if (isSame)
                continue;
            // Elements first .. i + period - 1 repeat with the period.
            const std::size_t count = (i - first) / period + 1;
            if (count * period > best.length())
                best = { first, period, count };
            first = i + 1;
        }
        return best;
    }

} // namespace

std::optional<Repeat> longestRepeat(std::span<const std::uint32_t> sequence)
{
    std::optional<Repeat> best;
    for (const std::size_t period : likelyPeriods(sequence)) {
        const Repeat found = longestOf(sequence, period);
        if (found.count < FewestRepeats || 2 * found.length() < sequence.size())
            continue;
        if (!best || found.length() > best->length()
            || (found.length() == best->length() && period < best->period))
            best = found;
    }
    return best;
}

} // namespace core
