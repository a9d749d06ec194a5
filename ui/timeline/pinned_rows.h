#pragma once

#include "ui/timeline/timeline_layout.h"

namespace ui {

/// Pixels on top of the track area that do not scroll: as many pinned rows as are whole in half of
/// `viewportHeight`. The pinned rows after them scroll with the others.
int stickyHeight(const TimelineLayout &layout, int viewportHeight);

} // namespace ui
