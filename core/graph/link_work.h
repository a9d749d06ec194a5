#pragma once

#include "core/base/time_range.h"

#include <cstdint>
#include <vector>

namespace core {

/// Processor sharing undone: work = integral over the interval of 1 / (number of transfers under
/// way). Result by interval, ns.
std::vector<std::int64_t> unsharedWork(const std::vector<TimeRange> &intervals);

/// The intervals with what their program took to hand them over while none was under way: such a
/// one begins when the link became free or, where that is later, it was ready (`readyNs`, by
/// interval). The first one stays: it may have waited for transfers that are not recorded.
std::vector<TimeRange> withHandOver(const std::vector<TimeRange> &intervals,
                                    const std::vector<std::int64_t> &readyNs);

/// The link's busy times divided among the transfers in them in proportion to their bytes: for
/// transfers whose intervals hold time in a queue of the backend, too. Result by interval, ns.
std::vector<std::int64_t> workByBytes(const std::vector<TimeRange> &intervals,
                                      const std::vector<std::uint64_t> &bytes);

/// How many of the transfers, taken in the order of their starts, the backend serves at once: the
/// number from 1 to `most` with which serving `work` of each (ns, sharing the link equally) comes
/// nearest to the ends of the intervals.
std::uint32_t servedAtOnce(const std::vector<TimeRange> &intervals,
                           const std::vector<std::int64_t> &work, std::uint32_t most);

} // namespace core
