#pragma once

#include "core/analyze/diagnosis.h"
#include "ui/timeline/track_arrangement.h"

namespace ui {

struct OrderedTracks;

/// How long each rank waits for others, and how long they wait for it alone, in ns of the mean
/// compared iteration; its host ("host") and its largest process group of each known role
/// ("tensor"), where these tell ranks apart. By the name of its group of tracks.
GroupKeysByName rankKeys(const core::Diagnosis &diagnosis, const OrderedTracks &order);

} // namespace ui
