#pragma once

#include "core/model/trace.h"

#include <cstdint>
#include <vector>

namespace core {

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
