#include "core/base/interval_set.h"

#include "core/base/sort_runs.h"

#include <algorithm>

namespace core {

IntervalSet::IntervalSet(std::vector<TimeRange> intervals)
{
    std::erase_if(intervals, [](const TimeRange &range) { return range.isEmpty(); });
    sortRuns(intervals,
             [](const TimeRange &a, const TimeRange &b) { return a.startNs < b.startNs; });
    for (const TimeRange &range : intervals) {
        if (!m_intervals.empty() && range.startNs <= m_intervals.back().endNs)
            m_intervals.back().endNs = std::max(m_intervals.back().endNs, range.endNs);
        else
            m_intervals.push_back(range);
    }
}

std::int64_t IntervalSet::lengthNs() const
{
    std::int64_t length = 0;
    for (const TimeRange &range : m_intervals)
        length += range.durationNs();
    return length;
}

IntervalSet IntervalSet::unitedWith(const IntervalSet &other) const
{
    std::vector<TimeRange> all = m_intervals;
    all.insert(all.end(), other.m_intervals.begin(), other.m_intervals.end());
    return IntervalSet(std::move(all));
}

IntervalSet IntervalSet::intersectedWith(const IntervalSet &other) const
{
    IntervalSet common;
    auto a = m_intervals.begin(), b = other.m_intervals.begin();
    while (a != m_intervals.end() && b != other.m_intervals.end()) {
        const TimeRange both { std::max(a->startNs, b->startNs), std::min(a->endNs, b->endNs) };
        if (!both.isEmpty())
            common.m_intervals.push_back(both);
        ++(a->endNs < b->endNs ? a : b);
    }
    return common;
}

IntervalSet IntervalSet::without(const IntervalSet &other) const
{
    IntervalSet rest;
    auto next = other.m_intervals.begin();
    for (const TimeRange &range : m_intervals) {
        std::int64_t fromNs = range.startNs;
        while (next != other.m_intervals.end() && next->endNs <= fromNs)
            ++next;
        for (auto it = next; it != other.m_intervals.end() && it->startNs < range.endNs; ++it) {
            if (it->startNs > fromNs)
                rest.m_intervals.push_back({ fromNs, it->startNs });
            fromNs = std::max(fromNs, it->endNs);
        }
        if (fromNs < range.endNs)
            rest.m_intervals.push_back({ fromNs, range.endNs });
    }
    return rest;
}

IntervalSet IntervalSet::clippedTo(const TimeRange &range) const
{
    const auto first = std::partition_point(
        m_intervals.begin(), m_intervals.end(),
        [&range](const TimeRange &interval) { return interval.endNs <= range.startNs; });
    IntervalSet clipped;
    for (auto it = first; it != m_intervals.end() && it->startNs < range.endNs; ++it) {
        const TimeRange part { std::max(it->startNs, range.startNs),
                               std::min(it->endNs, range.endNs) };
        if (!part.isEmpty())
            clipped.m_intervals.push_back(part);
    }
    return clipped;
}

} // namespace core
