#include "core/scenario/busy_times.h"

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

double BusyTimes::shareOf(const TimeRange &range) const
{
    if (range.isEmpty())
        return 0;
    return static_cast<double>(lengthBefore(range.endNs) - lengthBefore(range.startNs))
        / static_cast<double>(range.durationNs());
}

std::int64_t BusyTimes::lengthBefore(std::int64_t ns) const
{
    const auto &intervals = m_times.intervals();
    const auto next
        = std::partition_point(intervals.begin(), intervals.end(),
                               [ns](const TimeRange &interval) { return interval.startNs < ns; });
    if (next == intervals.begin())
        return 0;
    const auto index = static_cast<std::size_t>(next - intervals.begin()) - 1;
    return m_beforeNs[index] + std::min(ns, intervals[index].endNs) - intervals[index].startNs;
}

} // namespace core
