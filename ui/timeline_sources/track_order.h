#pragma once

#include "core/project/project_reader.h"
#include "ui/timeline/timeline_source.h"

#include <vector>

namespace ui {

/// The tracks of a project in the order of the timeline, with the headers they stand under.
struct OrderedTracks
{
    std::vector<core::TrackId> ids;
    std::vector<TimelineTrack> tracks; ///< same order
};

/// By rank; in a rank devices with their streams, communication, host threads (busiest first),
/// annotations. Tracks without slices are left out.
OrderedTracks orderTracks(const core::ProjectInfo &info);

} // namespace ui
