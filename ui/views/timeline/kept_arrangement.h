#pragma once

#include "ui/timeline/track_arrangement.h"

#include <QJsonObject>
#include <QJsonValue>

namespace ui {

/// An arrangement as a project keeps it.
QJsonObject arrangementObject(const TrackArrangement &arrangement);
/// Leaves out what it cannot read.
TrackArrangement arrangementOf(const QJsonValue &value);

/// The arrangement with the groups' names of `tracks`: "rank 3" may since have got a host or
/// another clock behind it. Groups and tracks that are not there are left out.
TrackArrangement withNamesOf(const TrackArrangement &kept,
                             const std::vector<TimelineTrack> &tracks);

} // namespace ui
