#include "ui/timeline/drawing/counter_curve.h"

#include "ui/widgets/format.h"

#include <QCoreApplication>
#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>

namespace ui {
namespace {

    /// Height in pixels, rounded up: a thin line is better than none.
    int pixels(double share, int height)
    {
        return static_cast<int>(std::ceil(std::clamp(share, 0.0, 1.0) * height));
    }

    CounterColumns columnsOf(const TimelineSource &source, std::size_t track, const TimeAxis &axis)
    {
        const double top = source.tracks()[track].counter->top;
        CounterColumns columns(static_cast<std::size_t>(std::max(0, axis.widthPx)));
        if (top <= 0)
            return columns;
        const double width = axis.widthPx;
        for (const CounterPoint &point :
             source.counterPoints(track, axis.visible(), axis.resolutionNs())) {
            const double left = std::clamp(axis.xOf(point.startNs), 0.0, width);
            const double right = std::clamp(axis.xOf(point.endNs), 0.0, width);
            const auto end = static_cast<std::size_t>(std::ceil(right));
            for (auto i = static_cast<std::size_t>(left); i < end && i < columns.size(); ++i) {
                const double from = std::max(left, static_cast<double>(i));
                const double to = std::min(right, static_cast<double>(i) + 1);
                columns[i].mean += static_cast<float>(point.mean / top * std::max(0.0, to - from));
                columns[i].maximum
                    = std::max(columns[i].maximum, static_cast<float>(point.maximum / top));
            }
        }
        return columns;
    }

} // namespace

CounterColumns counterColumns(const TimelineSource &source, std::size_t first, std::size_t end,
                              const TimeAxis &axis)
{
    CounterColumns highest = columnsOf(source, first, axis);
    for (std::size_t track = first + 1; track < end; ++track) {
        const CounterColumns columns = columnsOf(source, track, axis);
        for (std::size_t i = 0; i < highest.size(); ++i) {
            highest[i].mean = std::max(highest[i].mean, columns[i].mean);
            highest[i].maximum = std::max(highest[i].maximum, columns[i].maximum);
        }
    }
    return highest;
}

CurveColours curveColours(const Theme &theme, QRgb ground, const TimelineCounter &counter)
{
    const QColor colour = theme.role(
        counter.unit == CounterUnit::Bytes ? core::Role::Memory : core::Role::Communication);
    const QColor under = QColor::fromRgb(ground);
    return { blend(under, colour, 0.55).rgb(), blend(under, colour, 0.32).rgb(),
             blend(theme.text, colour, 0.6).rgb(), theme.line.rgb() };
}

void paintCurve(PixelCanvas &canvas, const CounterColumns &columns, const CurveColours &colours,
                const CounterArea &area)
{
    const int bottom = area.top + area.height;
    canvas.fill(0, bottom - 1, canvas.width(), 1, colours.ground);
    int before = 0; // height of the column to the left
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const int x = static_cast<int>(i);
        const int reached = pixels(static_cast<double>(columns[i].maximum), area.height);
        const int filled
            = std::min(reached, pixels(static_cast<double>(columns[i].mean), area.height));
        canvas.fill(x, bottom - reached, 1, reached - filled, colours.reached);
        canvas.fill(x, bottom - filled, 1, filled, colours.filled);
        if (filled > 0)
            canvas.fill(x, bottom - filled, 1, 1, colours.outline);
        if (reached == filled && std::abs(filled - before) > 1) { // a step's edge
            const int high = std::max(filled, before), low = std::min(filled, before);
            canvas.fill(filled > before ? x : x - 1, bottom - high, 1, high - low, colours.outline);
        }
        before = filled;
    }
}

void paintLimit(PixelCanvas &canvas, const TimelineCounter &counter, const Theme &theme,
                const CounterArea &area)
{
    constexpr int Dash = 6, Gap = 3;
    if (!counter.limit || counter.top <= 0)
        return;
    const int y
        = area.top + area.height - std::max(1, pixels(*counter.limit / counter.top, area.height));
    for (int x = 0; x < canvas.width(); x += Dash + Gap)
        canvas.fill(x, y, Dash, 1, theme.secondaryText.rgb());
}

void paintPeak(QPainter &painter, const TimelineCounter &counter, const Theme &theme,
               const TimeAxis &axis, const CounterArea &area)
{
    constexpr double Half = 4, Gap = 3;
    if (!counter.peakNs || counter.top <= 0)
        return;
    const double x = std::floor(axis.xOf(*counter.peakNs)) + 0.5;
    if (x < 0 || x > axis.widthPx)
        return;
    const double y = area.top + area.height * (1 - counter.maximum / counter.top) - 1;
    const QPointF triangle[] { { x - Half, y - 1.5 * Half },
                               { x + Half, y - 1.5 * Half },
                               { x, y } };
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.background, 1));
    painter.setBrush(theme.text);
    painter.drawPolygon(triangle, 3);
    painter.setRenderHint(QPainter::Antialiasing, false);
    const QString text = counterText(counter.unit, counter.maximum);
    const QFontMetricsF metrics(painter.font());
    const double width = metrics.horizontalAdvance(text);
    const bool isLeft = x + Half + Gap + width > axis.widthPx;
    const QRectF plate(isLeft ? x - Half - Gap - width : x + Half + Gap, area.top - 1, width,
                       metrics.ascent() + 2);
    QColor ground = theme.background;
    ground.setAlphaF(0.75F);
    painter.fillRect(plate.adjusted(-1, 0, 1, 0), ground);
    painter.setPen(theme.text);
    painter.drawText(plate, Qt::AlignLeft | Qt::AlignVCenter, text);
}

double counterValue(const TimelineSource &source, std::size_t track, std::int64_t ns,
                    std::int64_t resolutionNs)
{
    const std::int64_t width = std::max<std::int64_t>(1, resolutionNs);
    const core::TimeRange range { ns, ns + width };
    double sum = 0;
    for (const CounterPoint &point : source.counterPoints(track, range, width)) {
        const std::int64_t from = std::max(point.startNs, range.startNs);
        const std::int64_t to = std::min(point.endNs, range.endNs);
        sum += point.mean * static_cast<double>(std::max<std::int64_t>(0, to - from));
    }
    return sum / static_cast<double>(width);
}

QString counterText(CounterUnit unit, double value)
{
    if (unit == CounterUnit::Share)
        return formatPercent(value);
    if (unit == CounterUnit::Bytes)
        return formatBytes(static_cast<std::uint64_t>(std::max(0.0, value)));
    constexpr std::array<const char *, 5> Units { "B/s", "kB/s", "MB/s", "GB/s", "TB/s" };
    std::size_t i = 0;
    for (; i + 1 < Units.size() && value >= 999.5; ++i)
        value /= 1000;
    return formatSignificant(value, 3) + QChar(0x2009) + QLatin1String(Units[i]);
}

QString counterScaleText(const TimelineCounter &counter)
{
    const QString maximum = counterText(counter.unit, counter.maximum);
    if (!counter.limit)
        return QCoreApplication::translate("Timeline", "max %1").arg(maximum);
    return QCoreApplication::translate("Timeline", "max %1 of %2")
        .arg(maximum, counterText(counter.unit, *counter.limit));
}

} // namespace ui
