#pragma once

#include "core/base/job_control.h"
#include "core/model/finish_track.h"
#include "core/model/phases.h"
#include "core/project/write/sorted_slices.h"

namespace core {

/// What must be known of a whole track before its first slice can be written.
struct TrackSurvey
{
    TimeRange range; ///< from the first start to the last end
    DepthReport depths;
    HostMarks marks; ///< of a host track
    bool onlyCommunicates = false;
    std::vector<std::int64_t> levelWidthsNs; ///< see LevelPlanner
};

/// Polls and reports in the midst of a pass over a track's slices.
void pollPass(const JobControl &control, std::uint64_t row, std::uint64_t rows);
constexpr std::uint64_t RowsBetweenPolls = 1 << 16;

/// Goes through the slices of a track once. Names of the track are the file's; meanings answers
/// for them.
TrackSurvey surveyTrack(const CollectedTrack &track, SpillFile *file, NameMeanings &meanings,
                        const JobControl &control);

} // namespace core
