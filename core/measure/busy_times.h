#pragma once

#include "core/base/interval_set.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace core {

/// A set of points in time that answers quickly how much of a range lies in it: in O(log n) of
/// how far the range is from the one before it.
class BusyTimes
{
public:
    BusyTimes() = default;
    explicit BusyTimes(std::vector<TimeRange> times);

    /// Where to look for the next range: its caller's, as several may ask about the same times.
    using Place = std::size_t;

    /// How much of `range` lies in the set; 0 of an empty range.
    std::int64_t lengthIn(const TimeRange &range, Place &place) const;
    /// The same as a share of the range, 0..1.
    double shareOf(const TimeRange &range, Place &place) const;

private:
    std::int64_t lengthBefore(std::int64_t ns, Place &place) const;
    Place firstFrom(std::int64_t ns, Place near) const;

    IntervalSet m_times;
    std::vector<std::int64_t> m_beforeNs; ///< of each interval: the length of those before it
};

} // namespace core
