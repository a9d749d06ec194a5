#pragma once

#include "ui/timeline/timeline_coordinates.h"
#include "ui/timeline/timeline_state.h"

#include <QString>

#include <functional>
#include <optional>
#include <vector>

namespace ui {

/// Where the ruler draws an iteration, in pixels of its axis.
struct IterationBand
{
    double left = 0, width = 0; ///< may reach a little beyond the axis
    std::optional<double> labelX; ///< where its label begins; absent: it does not fit
    QString label; ///< the short one where only that fits
};

/// The bands of the visible iterations, which do not overlap. A label is drawn where it is seen
/// wholly: within its band and the axis. `advance` tells a text's width in pixels.
std::vector<IterationBand> iterationBands(const std::vector<TimelineIteration> &iterations,
                                          const TimeAxis &axis,
                                          const std::function<double(const QString &)> &advance);

} // namespace ui
