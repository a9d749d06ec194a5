#pragma once

#include "core/base/job_control.h"
#include "core/base/time_range.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace core {

/// Something that two recorders of one process have: raw times of each.
struct SharedRecord
{
    TimeRange known; ///< by the one whose clock is asked for
    TimeRange other;

    /// How far apart they may say that it ended: a recorder may poll, and so notice an end late.
    std::int64_t toleranceNs() const;
};

/// What is added to the other recorder's times to be the known one's:
/// offsetNs + driftPpm * 1e-6 * (time - fromNs).
struct RecorderClock
{
    std::int64_t offsetNs = 0;
    std::optional<double> driftPpm; ///< absent: what both have does not tell it
    std::int64_t fromNs = 0; ///< by the other's clock

    /// How far apart the ends of a record are with this clock.
    double distanceNs(const SharedRecord &record) const;
    bool fits(const SharedRecord &record) const;
};

/// Two records may be as far apart as two others by chance.
inline constexpr std::size_t FewestSharedRecords = 3;

std::size_t countFitting(const RecorderClock &clock, std::span<const SharedRecord> records);

/// The clock that records agree on; absent below FewestSharedRecords. A drift is taken where the
/// ends prove one as those of collectives between ranks do (end_clocks.h). Without one it is 0
/// where six or more fit over at least half of `recorded`, the time of the other's records: else it
/// could be any that those few do not show. How many of the records fit is left to the caller.
std::optional<RecorderClock> recorderClock(std::span<const SharedRecord> records,
                                           const TimeRange &recorded, const JobControl &control);

} // namespace core
