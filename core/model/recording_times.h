#pragma once

#include "core/model/trace.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace core {

/// Clocks that no time server sets are off by less.
inline constexpr std::int64_t UnsetClockGapNs = 60'000'000'000;

/// Clocks that a time server sets differ by less.
inline constexpr std::int64_t SetClocksErrorNs = 1'000'000'000;

/// Times of day; else they count from a boot or a start.
bool isTimeOfDay(const TimeRange &time);

/// When each worker ran, by WorkerId, by the times of its tracks; absent without slices. The times
/// of day where it has any, as a file of it may count from a boot or a start.
std::vector<std::optional<TimeRange>> recordedTimes(std::span<const Track> tracks,
                                                    std::size_t workerCount);

/// Ranks that recorded at about the same time, by their clocks.
struct RecordingRun
{
    std::vector<WorkerId> workers; ///< by start
    TimeRange time; ///< of all of them, as their clocks tell it
    bool isTimeOfDay = true; ///< else since a boot or a start: other clocks began elsewhere
};

/// By start; a new one begins where nobody recorded for longer than clocks differ that are set by a
/// time server, or where other clocks begin to tell the time of day. Ranks without slices are left
/// out.
std::vector<RecordingRun> recordingRuns(const Trace &trace);

/// A rank that recorded while most others did not.
struct OtherRecording
{
    WorkerId worker;
    WorkerId compared; ///< the first of those that most recorded with
    std::size_t comparedCount = 1; ///< how many these are
    std::int64_t gapNs = 0; ///< between its recording and theirs, by the hosts' clocks
    bool isBefore = false; ///< before theirs, else after
};

/// Ranks whose recordings do not overlap with those of most others (of equally many: of the
/// earliest), by more than clocks differ that are set by a time server: they are of another run, or
/// a host's clock is wrong. By start. Ranks whose clocks do not tell the time of day are left out.
std::vector<OtherRecording> recordingsAtOtherTimes(const Trace &trace);

} // namespace core
