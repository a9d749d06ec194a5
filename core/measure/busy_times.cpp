#include "core/measure/busy_times.h"

#include <algorithm>
#include <utility>

namespace core {

BusyTimes::BusyTimes(std::vector<TimeRange> times)
    : m_times(std::move(times))
{
    m_beforeNs.reserve(m_times.intervals().size());
    std::int64_t lengthNs = 0;
    for (const TimeRange &interval : m_times.intervals()) {
        m_beforeNs.push_back(lengthNs);
        lengthNs += interval.durationNs();
    }
}

std::int64_t BusyTimes::lengthIn(const TimeRange &range, Place &place) const
{
    if (range.isEmpty())
        return 0;
    const std::int64_t beforeNs = lengthBefore(range.startNs, place);
    return lengthBefore(range.endNs, place) - beforeNs;
}

double BusyTimes::shareOf(const TimeRange &range, Place &place) const
{
    return range.isEmpty()
        ? 0
        : static_cast<double>(lengthIn(range, place)) / static_cast<double>(range.durationNs());
}

std::int64_t BusyTimes::lengthBefore(std::int64_t ns, Place &place) const
{
    place = firstFrom(ns, place);
    if (place == 0)
        return 0;
    const TimeRange &last = m_times.intervals()[place - 1];
    return m_beforeNs[place - 1] + std::min(ns, last.endNs) - last.startNs;
}

/// The first interval that begins at `ns` or later, sought in steps that double from `near` on.
BusyTimes::Place BusyTimes::firstFrom(std::int64_t ns, Place near) const
{
    const std::vector<TimeRange> &intervals = m_times.intervals();
    const auto isBefore = [&intervals, ns](Place i) { return intervals[i].startNs < ns; };
    Place low = std::min(near, intervals.size()), high = low, step = 1;
    for (; low > 0 && !isBefore(low - 1); step *= 2) {
        high = low - 1;
        low = high > step ? high - step : 0;
    }
    for (; high < intervals.size() && isBefore(high); step *= 2) {
        low = high + 1;
        high = std::min(intervals.size(), low + step);
    }
    const auto first = intervals.begin();
    const auto found = std::partition_point(
        first + static_cast<std::ptrdiff_t>(low), first + static_cast<std::ptrdiff_t>(high),
        [ns](const TimeRange &interval) { return interval.startNs < ns; });
    return static_cast<Place>(found - first);
}

} // namespace core
