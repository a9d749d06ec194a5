#pragma once

#include "ui/timeline/timeline_state.h"

#include <optional>

class QMenu;

namespace ui {

class TimelineWidget;

/// Fills the context menu of a row's name, or of a slice: fold, pin, hide, sort, copy, zoom. Both
/// may be none.
void fillTimelineMenu(QMenu &menu, TimelineWidget &timeline, const TimelineRow *row,
                      const std::optional<TimelineHit> &slice);

} // namespace ui
