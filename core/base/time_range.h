#pragma once

#include <algorithm>
#include <cstdint>

namespace core {

/// A half-open interval [startNs, endNs) in nanoseconds.
struct TimeRange
{
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;

    std::int64_t durationNs() const { return endNs - startNs; }
    bool isEmpty() const { return endNs <= startNs; }
    bool contains(std::int64_t ns) const { return ns >= startNs && ns < endNs; }
    bool overlaps(const TimeRange &o) const { return startNs < o.endNs && o.startNs < endNs; }
    friend bool operator==(const TimeRange &, const TimeRange &) = default;
};

} // namespace core
