#pragma once

#include "core/base/time_range.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace core {

/// The interval between two times as a file has them; absent where they are reversed or further
/// apart than nanoseconds in 64 bits can say (292 years), as only damage makes them.
inline std::optional<TimeRange> checkedRange(std::int64_t startNs, std::int64_t endNs)
{
    std::int64_t durationNs = 0;
    if (__builtin_sub_overflow(endNs, startNs, &durationNs) || durationNs < 0)
        return std::nullopt;
    return TimeRange { startNs, endNs };
}

/// The same of times of which each may be absent.
inline std::optional<TimeRange> checkedRange(std::optional<std::int64_t> startNs,
                                             std::optional<std::int64_t> endNs)
{
    return startNs && endNs ? checkedRange(*startNs, *endNs) : std::nullopt;
}

/// From the first start to the last end; `all` as it is where that is further than 64 bits can say.
inline TimeRange checkedUnion(const TimeRange &all, const TimeRange &other)
{
    return checkedRange(std::min(all.startNs, other.startNs), std::max(all.endNs, other.endNs))
        .value_or(all);
}

} // namespace core
