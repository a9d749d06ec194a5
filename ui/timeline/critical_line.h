#pragma once

#include "ui/timeline/timeline_coordinates.h"
#include "ui/timeline/timeline_layout.h"
#include "ui/timeline/timeline_source.h"

#include <QPointF>

#include <cstdint>
#include <vector>

namespace ui {

/// A slice on the critical path and the row it lies on.
struct CriticalStep
{
    std::uint64_t id = 0;
    std::size_t track = 0;
    std::uint32_t depth = 0;
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
};

/// Places every slice of the source's critical path, by start; slices that it does not show are
/// left out.
std::vector<CriticalStep> criticalSteps(const TimelineSource &source);

/// The critical path as one line through its boxes in widget coordinates, from the step that leads
/// into the visible range to the one that leads out of it, with at most a few points a pixel
/// column.
std::vector<QPointF> criticalLine(const std::vector<CriticalStep> &steps,
                                  const TimelineLayout &layout, const TimeAxis &axis, int scrollY);

/// The line with fewer ways between rows where these lie so close that they would hide the slices
/// of all rows between: there it goes on in each row by itself, and only some ways are drawn.
/// Pieces of two or more points each; one piece, the line itself, where nothing is left out.
std::vector<std::vector<QPointF>> criticalPieces(const std::vector<QPointF> &line);

} // namespace ui
