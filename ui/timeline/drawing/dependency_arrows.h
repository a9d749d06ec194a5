#pragma once

#include "ui/theme/theme.h"
#include "ui/timeline/timeline_state.h"

#include <QPointF>

class QPainter;

namespace ui {

/// Where an arrow begins and ends in the track area, logical pixels.
struct ArrowLine
{
    QPointF from, to;
};

/// From the end of the one slice to the start of the other; of a blame edge from the arrival of
/// the last rank to the end of the other's wait. Ends that are far outside are drawn nearer.
ArrowLine arrowLine(const TimelineState &state, const TimelineArrow &arrow, int width);

/// Draws the arrows of the selection, and beside it how many there are more.
void paintArrows(QPainter &painter, const TimelineState &state, const Theme &theme, int width);

} // namespace ui
