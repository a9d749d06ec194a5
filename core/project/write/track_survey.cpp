#include "core/project/write/track_survey.h"

#include "core/project/write/pyramid.h"

namespace core {

void pollPass(const JobControl &control, std::uint64_t row, std::uint64_t rows)
{
    throwIfCancelled(control);
    control.report(static_cast<double>(row) / static_cast<double>(rows), "write slices");
}

TrackSurvey surveyTrack(const CollectedTrack &track, SpillFile *file, NameMeanings &meanings,
                        const JobControl &control)
{
    TrackSurvey survey;
    survey.range = track.range();
    survey.onlyCommunicates = track.size() > 0;
    const bool isOnHost = isHost(track.track.kind);
    LevelPlanner levels(track.size() > TopLevelBins ? track.range() : TimeRange(),
                        track.durations().medianAtLeastNs());
    DepthAssigner depths;
    SortedSlices slices(track, file);
    std::uint64_t row = 0;
    while (const CollectedSlice *slice = slices.next()) {
        if (row++ % RowsBetweenPolls == 0)
            pollPass(control, row, track.size());
        const std::uint8_t depth = depths.place(slice->startNs, slice->endNs());
        levels.add(slice->startNs, slice->endNs(), depth);
        survey.onlyCommunicates &= slice->category == Category::CommOp;
        if (isOnHost)
            survey.marks.add(meanings(slice->name), depth);
    }
    survey.depths = depths.report();
    survey.levelWidthsNs = levels.widthsNs();
    return survey;
}

} // namespace core
