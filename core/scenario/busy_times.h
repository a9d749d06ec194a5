#pragma once

#include "core/base/interval_set.h"

#include <cstdint>
#include <vector>

namespace core {

/// A set of points in time that answers quickly how much of a range lies in it.
class BusyTimes
{
public:
    BusyTimes() = default;
    explicit BusyTimes(std::vector<TimeRange> times);

    /// The part of `range` that lies in the set, 0..1; 0 of an empty range. O(log n).
    double shareOf(const TimeRange &range) const;

private:
    std::int64_t lengthBefore(std::int64_t ns) const;

    IntervalSet m_times;
    std::vector<std::int64_t> m_beforeNs; ///< of each interval: the length of those before it
};

} // namespace core
