#pragma once

#include "core/project/read/project_reader.h"
#include "ui/timeline/timeline_source.h"

#include <vector>

namespace ui {

/// The tracks of a project in the order of the timeline, with the headers they stand under.
struct OrderedTracks
{
    std::vector<core::TrackId> ids;
    std::vector<TimelineTrack> tracks; ///< same order
    std::vector<QString> groups; ///< headers, by WorkerId
    std::vector<QString> hosts; ///< by WorkerId; empty where the trace does not say
    std::vector<QString> accelerators; ///< "GPU", "XPU"; by WorkerId
};

/// Place of a kind of track inside its rank: devices first, then communication, host, annotations.
int placeOf(core::TrackKind kind);

/// Phases colour what runs on a device; beside one, a thread only hands work to it.
core::Role roleOnTrack(core::TrackKind kind, bool hasDevice, core::Role role);

/// By rank; in a rank devices with their streams, communication, host threads (busiest first),
/// annotations. Tracks without slices are left out. Minor ones are last: an annotation of one
/// slice (a profiler's span), and a thread seen for under 1 % of its rank's longest thread.
OrderedTracks orderTracks(const core::ProjectInfo &info);

} // namespace ui
