#pragma once

#include "core/base/time_range.h"
#include "core/model/trace.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace core {

/// When the last slice of a track begins in a range (raw clock, without its end); absent where
/// none does.
using LastStartIn
    = std::function<std::optional<std::int64_t>(TrackId track, const TimeRange &range)>;

/// What of a track's work begins in a range. The host's calls, waits and marks are none: how often
/// it polls depends on how long it waits.
struct WorkIn
{
    std::size_t slices = 0;
    std::int64_t endNs = std::numeric_limits<std::int64_t>::min(); ///< of the last to end
    bool isComputing = false; ///< some of it is computation

    WorkIn &operator+=(const WorkIn &other);
};
/// Of slices by their starts; range: raw clock, without its end.
WorkIn workIn(const SliceColumns &slices, const TimeRange &range);

/// Reads of recorded slices.
struct RecordedSlices
{
    LastStartIn lastStart;
    std::function<WorkIn(TrackId track, const TimeRange &range)> work;
};

/// Sets Iteration::isWhole of each worker's last iteration, of several, to whether the recording
/// lasts to its end: a file that was cut has the marks of more steps than it has work of. And of an
/// earlier one whose work stops long before the next begins and is less than in the worker's other
/// ones, while at least half of the ranks have theirs of that number: its events were lost, whether
/// its mark was cut with them or not. And of the last ones of all workers where nothing tells their
/// ends. Work is asked for only of iterations that end in a gap and of
/// those that they are compared with. iterations: by worker and time, raw clock.
void markBrokenOff(std::vector<Iteration> &iterations, std::span<const Track> tracks,
                   const RecordedSlices &slices);
/// The same from the slices of a whole trace.
void markBrokenOff(Trace &trace);

} // namespace core
