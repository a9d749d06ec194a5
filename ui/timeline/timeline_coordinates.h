#pragma once

#include "core/base/time_range.h"

#include <QString>

#include <cstdint>
#include <vector>

namespace ui {

/// Linear map between time (ns) and horizontal pixels; x = 0 is the left edge of the visible range.
struct TimeAxis
{
    std::int64_t startNs = 0; ///< time at x = 0
    double nsPerPixel = 1; ///< more than 0
    int widthPx = 1; ///< at least 1

    /// Not clamped: may lie far outside of the widget.
    double xOf(std::int64_t ns) const { return static_cast<double>(ns - startNs) / nsPerPixel; }
    std::int64_t nsAt(double x) const;
    /// [time at x = 0, time at x = widthPx).
    core::TimeRange visible() const;
    /// Width in ns of one pixel, at least 1: what a source is asked to merge.
    std::int64_t resolutionNs() const;
};

/// Shortest range that can be shown; below it pixels would be finer than a nanosecond's use.
inline constexpr std::int64_t MinimumVisibleNs = 100;

/// An axis that shows `range` over `widthPx` pixels. An empty range is widened to
/// MinimumVisibleNs.
TimeAxis axisFor(core::TimeRange range, int widthPx);

/// `range` grown by `fraction` of its length on both sides.
core::TimeRange padded(core::TimeRange range, double fraction);

/// Moves and, where it is longer, shortens `range` so that it stays in `limits`; never shorter
/// than MinimumVisibleNs.
core::TimeRange clamped(core::TimeRange range, core::TimeRange limits);

/// The same within what is recorded and a little of what is around it: limits that leave room
/// around a whole recording are most of what a close look at its end shows.
core::TimeRange movedInto(core::TimeRange range, core::TimeRange recorded);

/// Zooms by `factor` (above 1: closer) so that the time under `x` stays under it, within `limits`.
TimeAxis zoomed(const TimeAxis &axis, double factor, double x, core::TimeRange limits);

/// Moves the visible range by `pixels` to later times (negative: earlier), within `limits`.
TimeAxis panned(const TimeAxis &axis, double pixels, core::TimeRange limits);

struct RulerTick
{
    double x = 0;
    bool isMajor = false;
    QString label; ///< of major ticks, counted from the origin
};

/// Distance of major ticks: 1, 2 or 5 times a power of ten ns, at least `minimumPx` apart.
std::int64_t majorStepNs(double nsPerPixel, double minimumPx);

/// Ticks of the visible range; labels count from `originNs`.
std::vector<RulerTick> rulerTicks(const TimeAxis &axis, std::int64_t originNs,
                                  double minimumMajorPx = 110);

} // namespace ui
