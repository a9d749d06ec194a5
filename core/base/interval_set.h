#pragma once

#include "core/base/time_range.h"

#include <cstdint>
#include <vector>

namespace core {

/// A set of points in time: the union of intervals, kept sorted and disjoint. Building it is
/// O(n log n), everything else linear.
class IntervalSet
{
public:
    IntervalSet() = default;
    /// Intervals in any order, overlapping or not; empty ones count for nothing.
    explicit IntervalSet(std::vector<TimeRange> intervals);

    const std::vector<TimeRange> &intervals() const { return m_intervals; }
    bool isEmpty() const { return m_intervals.empty(); }
    std::int64_t lengthNs() const;

    IntervalSet unitedWith(const IntervalSet &other) const;
    IntervalSet intersectedWith(const IntervalSet &other) const;
    IntervalSet without(const IntervalSet &other) const;
    IntervalSet clippedTo(const TimeRange &range) const;

private:
    std::vector<TimeRange> m_intervals;
};

} // namespace core
