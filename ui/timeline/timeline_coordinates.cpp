#include "ui/timeline/timeline_coordinates.h"

#include "ui/timeline/time_format.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace ui {
namespace {

    /// Keeps conversions from double inside of int64, whatever the zoom.
    std::int64_t toNs(double ns)
    {
        constexpr double Limit = 4e18;
        return static_cast<std::int64_t>(std::llround(std::clamp(ns, -Limit, Limit)));
    }

} // namespace

std::int64_t TimeAxis::nsAt(double x) const
{
    return startNs + toNs(x * nsPerPixel);
}

core::TimeRange TimeAxis::visible() const
{
    return { startNs, nsAt(widthPx) };
}

std::int64_t TimeAxis::resolutionNs() const
{
    return std::max<std::int64_t>(1, toNs(nsPerPixel));
}

TimeAxis axisFor(core::TimeRange range, int widthPx)
{
    TimeAxis axis;
    axis.startNs = range.startNs;
    axis.widthPx = std::max(1, widthPx);
    const auto duration = std::max(range.durationNs(), MinimumVisibleNs);
    axis.nsPerPixel = static_cast<double>(duration) / axis.widthPx;
    return axis;
}

core::TimeRange padded(core::TimeRange range, double fraction)
{
    const std::int64_t padding = toNs(static_cast<double>(range.durationNs()) * fraction);
    return { range.startNs - padding, range.endNs + padding };
}

core::TimeRange clamped(core::TimeRange range, core::TimeRange limits)
{
    const std::int64_t limit = std::max(limits.durationNs(), MinimumVisibleNs);
    const std::int64_t duration = std::clamp(range.durationNs(), MinimumVisibleNs, limit);
    const std::int64_t start
        = std::clamp(range.startNs, limits.startNs, limits.startNs + limit - duration);
    return { start, start + duration };
}

core::TimeRange movedInto(core::TimeRange range, core::TimeRange recorded)
{
    constexpr double Margin = 0.02;
    return clamped(range,
                   { recorded.startNs - toNs(static_cast<double>(range.durationNs()) * Margin),
                     recorded.endNs + toNs(static_cast<double>(range.durationNs()) * Margin) });
}

TimeAxis zoomed(const TimeAxis &axis, double factor, double x, core::TimeRange limits)
{
    const std::int64_t anchor = axis.nsAt(x);
    const std::int64_t limit = std::max(limits.durationNs(), MinimumVisibleNs);
    const double duration = std::clamp(axis.nsPerPixel / factor * axis.widthPx,
                                       double(MinimumVisibleNs), double(limit));
    const double nsPerPixel = duration / axis.widthPx;
    const std::int64_t start = anchor - toNs(x * nsPerPixel);
    return axisFor(clamped({ start, start + toNs(duration) }, limits), axis.widthPx);
}

TimeAxis panned(const TimeAxis &axis, double pixels, core::TimeRange limits)
{
    const std::int64_t shift = toNs(pixels * axis.nsPerPixel);
    const core::TimeRange now = axis.visible();
    TimeAxis result = axis;
    result.startNs = clamped({ now.startNs + shift, now.endNs + shift }, limits).startNs;
    return result;
}

std::int64_t majorStepNs(double nsPerPixel, double minimumPx)
{
    const double wanted = std::max(1.0, nsPerPixel * minimumPx);
    std::int64_t power = 1;
    while (static_cast<double>(power) * 10 <= wanted && power < 1'000'000'000'000'000'000) {
        power *= 10;
    }
    for (const std::int64_t factor : { 1, 2, 5 }) {
        if (static_cast<double>(power * factor) >= wanted) {
            return power * factor;
        }
    }
    return power * 10;
}

std::vector<RulerTick> rulerTicks(const TimeAxis &axis, std::int64_t originNs,
                                  double minimumMajorPx)
{
    const std::int64_t step = majorStepNs(axis.nsPerPixel, minimumMajorPx);
    const std::int64_t minor = std::max<std::int64_t>(1, step >= 10 ? step / 5 : step);
    const core::TimeRange range = axis.visible();
    std::int64_t at = (range.startNs - originNs) / minor * minor;
    if (at > range.startNs - originNs) {
        at -= minor; // division rounds towards zero
    }
    const std::int64_t scale
        = std::max(std::abs(range.startNs - originNs), std::abs(range.endNs - originNs));
    std::vector<RulerTick> ticks;
    for (; at + originNs <= range.endNs; at += minor) {
        const bool isMajor = at % step == 0;
        ticks.push_back({ axis.xOf(at + originNs), isMajor,
                          isMajor ? formatInstant(at, step, scale) : QString() });
    }
    return ticks;
}

} // namespace ui
