#pragma once

#include "ui/timeline/timeline_state.h"

#include <optional>

namespace ui {

/// The area's range, else the selected slice's; empty for neither.
core::TimeRange spanOfSelection(const TimelineState &state);

/// The area, or the selected slice, made large enough for a slice; with neither, the slice.
TimelineArea areaWith(const TimelineState &state, const TimelineHit &hit);

/// The slice after (+1) or before (-1) the selected one on its track and depth.
std::optional<TimelineHit> neighbourOnTrack(const TimelineState &state, int direction);

/// The step of the critical path after or before the selection's time; without a selection the
/// first or last one in the visible range.
std::optional<TimelineHit> neighbourOnCriticalPath(const TimelineState &state, int direction);

/// Where most happens, if nothing is recorded for over 60 % of the source's range and 90 % of its
/// slices lie on one side of that; else empty. Spans that only annotate do not count. Reads one
/// track where that is enough, and at most the 16 with the most slices.
core::TimeRange activeRange(const TimelineSource &source);

} // namespace ui
