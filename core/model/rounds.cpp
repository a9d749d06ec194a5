#include "core/model/rounds.h"

#include <algorithm>
#include <limits>
#include <map>

namespace core {

void Rounds::add(std::uint64_t key, TimeRange range)
{
    const auto [known, isNew] = m_runs.try_emplace(key);
    Runs &runs = known->second;
    runs.startsNs.push_back(range.startNs);
    runs.lastEndNs = isNew ? range.endNs : std::max(runs.lastEndNs, range.endNs);
}

/// How often most keys run; of equals the larger number.
std::size_t Rounds::usualCount() const
{
    std::map<std::size_t, std::size_t> keysByCount;
    for (const auto &[key, runs] : m_runs)
        ++keysByCount[runs.startsNs.size()];
    std::size_t usual = 0, most = 0;
    for (const auto &[count, keys] : keysByCount) {
        if (keys >= most) {
            most = keys;
            usual = count;
        }
    }
    return usual;
}

std::vector<TimeRange> Rounds::iterations() const
{
    const std::size_t count = usualCount();
    if (count < 2)
        return {};
    constexpr std::int64_t Latest = std::numeric_limits<std::int64_t>::max();
    std::vector<TimeRange> ranges(count, { Latest, -Latest });
    for (const auto &[key, runs] : m_runs) {
        if (runs.startsNs.size() + 1 < count || runs.startsNs.size() > count + 1)
            continue;
        std::vector<std::int64_t> startsNs = runs.startsNs;
        std::sort(startsNs.begin(), startsNs.end());
        for (std::size_t n = 0; n < std::min(count, startsNs.size()); ++n)
            ranges[n].startNs = std::min(ranges[n].startNs, startsNs[n]);
        ranges.back().endNs = std::max(ranges.back().endNs, runs.lastEndNs);
    }
    for (std::size_t n = 1; n < count; ++n)
        ranges[n - 1].endNs = ranges[n].startNs;
    const bool isOrdered = std::all_of(ranges.begin(), ranges.end(), [](const TimeRange &range) {
        return range.startNs < range.endNs;
    });
    return isOrdered ? ranges : std::vector<TimeRange> {};
}

} // namespace core
