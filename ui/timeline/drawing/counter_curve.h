#pragma once

#include "ui/theme/theme.h"
#include "ui/timeline/drawing/pixel_canvas.h"
#include "ui/timeline/timeline_coordinates.h"
#include "ui/timeline/timeline_source.h"

#include <QString>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

class QPainter;

namespace ui {

/// Height of a curve in one pixel column as a share, 0..1, of its row.
struct CounterColumn
{
    float mean = 0, maximum = 0;
};
using CounterColumns = std::vector<CounterColumn>;

/// Values by pixel column: of several counters [first, end) the one whose share is highest there.
CounterColumns counterColumns(const TimelineSource &source, std::size_t first, std::size_t end,
                              const TimeAxis &axis);

/// Where a curve is drawn: its lines of pixels.
struct CounterArea
{
    int top = 0, height = 0;
};

struct CurveColours
{
    QRgb filled; ///< up to the mean of a column
    QRgb reached; ///< from there up to its maximum
    QRgb outline; ///< the upper edge, so that the curve is seen without colours
    QRgb ground; ///< the line of zero
};

CurveColours curveColours(const Theme &theme, QRgb ground, const TimelineCounter &counter);

/// Draws the curve on the line of zero.
void paintCurve(PixelCanvas &canvas, const CounterColumns &columns, const CurveColours &colours,
                const CounterArea &area);
/// Draws the counter's limit as a broken line; none without one.
void paintLimit(PixelCanvas &canvas, const TimelineCounter &counter, const Theme &theme,
                const CounterArea &area);

/// Marks the counter's maximum by a triangle above the curve with its value beside it; none where
/// no peak is to be marked or in sight. `area`: logical pixels, as `axis`.
void paintPeak(QPainter &painter, const TimelineCounter &counter, const Theme &theme,
               const TimeAxis &axis, const CounterArea &area);

/// The value at a time, or the mean of those that a pixel holds; `resolutionNs` per pixel.
double counterValue(const TimelineSource &source, std::size_t track, std::int64_t ns,
                    std::int64_t resolutionNs);

/// "12.5 GB/s", "3.2 GiB", "80 %".
QString counterText(CounterUnit unit, double value);
/// "at most 1.1 GB/s of 1.25 GB/s", for the second line of the label.
QString counterScaleText(const TimelineCounter &counter);

} // namespace ui
