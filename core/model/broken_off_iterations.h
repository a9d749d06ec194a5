#pragma once

#include "core/base/time_range.h"
#include "core/model/trace.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace core {

/// When the last slice of a track begins in a range (raw clock, without its end); absent where
/// none does.
using LastStartIn
    = std::function<std::optional<std::int64_t>(TrackId track, const TimeRange &range)>;

/// Sets Iteration::isWhole of each worker's last iteration, of several, to whether the recording
/// lasts to its end: a file that was cut has the marks of more steps than it has work of. Few
/// ranges are asked for. iterations: by worker and time, raw clock.
void markBrokenOff(std::vector<Iteration> &iterations, std::span<const Track> tracks,
                   const LastStartIn &lastStart);
/// The same from the slices of a whole trace.
void markBrokenOff(Trace &trace);

} // namespace core
