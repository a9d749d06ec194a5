#include "ui/timeline/timeline_ruler.h"

#include "ui/theme/theme.h"
#include "ui/timeline/iteration_bands.h"
#include "ui/timeline/time_format.h"
#include "ui/timeline/timeline_state.h"
#include "ui/widgets/format.h"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ui {
namespace {

    constexpr int IterationHeight = 18; ///< upper line; the ticks lie below
    constexpr int TagHeight = 16;
    constexpr int LongestFlag = 160; ///< px
    constexpr double MostClickPx = 4; ///< a press that moves farther is a drag

} // namespace

TimelineRuler::TimelineRuler(TimelineState &state, QWidget *parent)
    : QWidget(parent)
    , m_state(state)
{
    setFixedHeight(Height);
    setMouseTracking(true);
    const auto repaint = qOverload<>(&QWidget::update);
    connect(&state, &TimelineState::axisChanged, this, repaint);
    connect(&state, &TimelineState::hoverChanged, this, repaint);
    connect(&state, &TimelineState::areaChanged, this, repaint);
    connect(&state, &TimelineState::marksChanged, this, repaint);
}

void TimelineRuler::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const Theme &theme = themeOf(palette());
    painter.fillRect(rect(), theme.panel);
    painter.fillRect(0, height() - 1, width(), 1, theme.line);
    if (m_state.source() == nullptr) {
        return;
    }
    painter.setFont(uiFont(TextSize::Small));
    paintIterations(painter);
    const std::vector<Span> marked = spans(painter.fontMetrics());
    paintTicks(painter, marked);
    for (auto span = marked.rbegin(); span != marked.rend(); ++span) // the first is on top
        paintSpan(painter, *span);
    paintCrosshair(painter, marked);
}

void TimelineRuler::paintIterations(QPainter &painter) const
{
    const Theme &theme = themeOf(palette());
    const QFontMetrics metrics = painter.fontMetrics();
    const auto bands
        = iterationBands(m_state.iterations(), m_state.axis(), [&metrics](const QString &label) {
              return double(metrics.horizontalAdvance(label));
          });
    painter.setPen(theme.text);
    for (const IterationBand &band : bands) {
        const QRectF box(band.left, 3, band.width, IterationHeight - 4);
        painter.fillRect(box, blend(theme.panel, theme.text, 0.1));
        if (band.labelX)
            painter.drawText(
                QRectF(*band.labelX, box.y(), box.right() - *band.labelX, box.height()),
                Qt::AlignLeft | Qt::AlignVCenter, band.label);
    }
}

void TimelineRuler::paintTicks(QPainter &painter, const std::vector<Span> &covering) const
{
    const Theme &theme = themeOf(palette());
    const int bottom = height() - 1;
    painter.setPen(theme.secondaryText);
    for (const RulerTick &tick : rulerTicks(m_state.axis(), m_state.originNs())) {
        const double x = std::floor(tick.x);
        const int length = tick.isMajor ? height() - IterationHeight - 2 : 4;
        painter.fillRect(QRectF(x, bottom - length, 1, length),
                         tick.isMajor ? blend(theme.panel, theme.secondaryText, 0.6) : theme.line);
        const QRectF label = timeLabel(tick, painter.fontMetrics());
        const bool isCovered
            = std::any_of(covering.begin(), covering.end(),
                          [&label](const Span &span) { return span.tag.intersects(label); });
        // Half a number would be another one: "62995 s" of "1.62995 s".
        if (tick.isMajor && !isCovered && label.left() >= 0 && label.right() < width())
            painter.drawText(label.adjusted(0, 0, 2, 0), Qt::AlignLeft | Qt::AlignVCenter,
                             tick.label);
    }
}

QRectF TimelineRuler::timeLabel(const RulerTick &tick, const QFontMetrics &metrics) const
{
    return { std::floor(tick.x) + 5, double(IterationHeight),
             double(metrics.horizontalAdvance(tick.label)),
             double(height() - IterationHeight - 3) };
}

TagPlaces TimelineRuler::tagPlaces(const QFontMetrics &metrics) const
{
    const auto widthOf
        = [&metrics](const QString &label) { return double(metrics.horizontalAdvance(label)); };
    std::vector<QRectF> times, names;
    for (const RulerTick &tick : rulerTicks(m_state.axis(), m_state.originNs()))
        if (tick.isMajor)
            times.push_back(timeLabel(tick, metrics));
    for (const IterationBand &band : iterationBands(m_state.iterations(), m_state.axis(), widthOf))
        if (band.labelX)
            names.emplace_back(*band.labelX, 0, widthOf(band.label), IterationHeight);
    return { std::move(times), std::move(names), QRectF(0, IterationHeight + 2, 0, TagHeight),
             QRectF(0, IterationHeight - TagHeight, 0, TagHeight) };
}

std::vector<TimelineRuler::Span> TimelineRuler::spans(const QFontMetrics &metrics) const
{
    const Theme &theme = themeOf(palette());
    std::vector<Span> all;
    TagPlaces places = tagPlaces(metrics);
    const auto add = [&](core::TimeRange range, const QColor &colour) {
        const double from = std::round(m_state.axis().xOf(range.startNs));
        const double to = std::round(m_state.axis().xOf(range.endNs));
        const double left = std::max(from, 0.0), right = std::min(to, double(width()));
        const QString text = formatDuration(range.durationNs());
        const double length = metrics.horizontalAdvance(text) + 10;
        const double last = std::max(0.0, width() - length);
        const QRectF tag
            = places.place({ .left = std::clamp((left + right) / 2 - length / 2, 0.0, last),
                             .least = std::clamp(std::min(left, right - length), 0.0, last),
                             .most = std::clamp(std::max(left, right - length), 0.0, last),
                             .length = length });
        all.push_back({ left, right, tag, text, colour });
    };
    // Whoever comes first has a place; of many marks beside each other not all can be read.
    if (m_state.area())
        add(m_state.area()->range, theme.accent);
    if (m_state.mark())
        add(*m_state.mark(), theme.warning);
    std::vector<core::TimeRange> kept = m_state.keptMarks();
    std::ranges::stable_sort(kept, {}, &core::TimeRange::durationNs); // short ones have least room
    for (const core::TimeRange &mark : kept)
        if (mark.overlaps(m_state.visible()))
            add(mark, theme.warning);
    addFlags(all, places, metrics);
    return all;
}

/// A label ends where the next flag stands.
void TimelineRuler::addFlags(std::vector<Span> &all, TagPlaces &places,
                             const QFontMetrics &metrics) const
{
    constexpr int Padding = 10;
    const QColor colour = themeOf(palette()).accent;
    const std::vector<TimelineFlag> &flags = m_state.flags();
    const auto xOf
        = [this](const TimelineFlag &flag) { return std::round(m_state.axis().xOf(flag.ns)); };
    for (std::size_t i = 0; i < flags.size(); ++i) {
        const double x = xOf(flags[i]);
        if (x < 0 || x >= width())
            continue;
        const QString whole = metrics.elidedText(flags[i].text, Qt::ElideRight, LongestFlag);
        const double wanted = metrics.horizontalAdvance(whole) + Padding;
        const double next = i + 1 < flags.size() ? xOf(flags[i + 1]) : x + wanted + LongestFlag;
        const double length = flagLabelLength(x, wanted, next);
        const QString text = length < wanted
            ? metrics.elidedText(whole, Qt::ElideRight, static_cast<int>(length) - Padding)
            : whole;
        const QRectF tag
            = places.place({ .left = x, .least = x, .most = x, .length = std::max(length, 3.0) });
        all.push_back({ x, x + 2,
                        tag.isEmpty() ? QRectF(x, IterationHeight + 2, 3, TagHeight) : tag,
                        tag.isEmpty() ? QString() : text, colour });
    }
}

void TimelineRuler::paintSpan(QPainter &painter, const Span &span) const
{
    const Theme &theme = themeOf(palette());
    painter.fillRect(QRectF(span.from, IterationHeight, span.to - span.from, 2), span.colour);
    if (span.tag.isEmpty())
        return;
    painter.fillRect(span.tag, span.colour);
    painter.setPen(theme.isDark ? theme.background : QColor(Qt::white));
    painter.drawText(span.tag, Qt::AlignCenter, span.text);
}

void TimelineRuler::paintCrosshair(QPainter &painter, const std::vector<Span> &covering) const
{
    if (!m_state.crosshairNs()) {
        return;
    }
    const Theme &theme = themeOf(palette());
    const double x = std::floor(m_state.axis().xOf(*m_state.crosshairNs()));
    if (x < 0 || x >= width()) {
        return; // at the edge its time would be a wrong one
    }
    const QString text = formatInstant(*m_state.crosshairNs() - m_state.originNs(),
                                       std::max<std::int64_t>(1, m_state.axis().resolutionNs()));
    const double length = painter.fontMetrics().horizontalAdvance(text) + 12;
    std::vector<QRectF> taken;
    taken.reserve(covering.size());
    for (const Span &span : covering)
        if (!span.tag.isEmpty() && span.tag.top() >= IterationHeight)
            taken.push_back(span.tag);
    const double left = pointerTagLeft(x, length, width(), taken);
    const bool isAbove = left < 0; // over the iterations there is always room
    const QRectF tag(isAbove ? std::clamp(x - length / 2, 0.0, std::max(0.0, width() - length))
                             : left,
                     isAbove ? 1 : IterationHeight + 1, length, isAbove ? IterationHeight - 1 : 18);
    painter.fillRect(QRectF(x, isAbove ? 0 : IterationHeight, 1, height()), theme.secondaryText);
    painter.fillRect(tag, theme.text);
    painter.setPen(theme.background);
    painter.drawText(tag, Qt::AlignCenter, text);
}

void TimelineRuler::mousePressEvent(QMouseEvent *event)
{
    m_pressedX = event->position().x();
    event->ignore();
}

void TimelineRuler::mouseMoveEvent(QMouseEvent *event)
{
    if (m_state.source() == nullptr) {
        return;
    }
    const TimeAxis &axis = m_state.axis();
    const double x = event->position().x();
    m_state.setCrosshair(axis.nsAt(x));
    if ((event->buttons() & Qt::LeftButton) && std::abs(x - m_pressedX) > MostClickPx) {
        m_state.setArea(TimelineArea {
            { axis.nsAt(std::min(x, m_pressedX)), axis.nsAt(std::max(x, m_pressedX)) },
            0,
            m_state.source()->tracks().size() });
    }
}

void TimelineRuler::mouseReleaseEvent(QMouseEvent *event)
{
    const QPointF at = event->position();
    const bool isClick = event->button() == Qt::LeftButton && at.y() < IterationHeight
        && std::abs(at.x() - m_pressedX) <= MostClickPx;
    if (!isClick || m_state.source() == nullptr)
        return event->ignore();
    const std::int64_t ns = m_state.axis().nsAt(at.x());
    for (const TimelineIteration &iteration : m_state.iterations())
        if (iteration.index && iteration.range.startNs <= ns && ns < iteration.range.endNs) {
            const std::int64_t index = *iteration.index; // a listener may replace the iterations
            emit m_state.iterationPicked(index);
            return;
        }
}

void TimelineRuler::leaveEvent(QEvent *)
{
    m_state.setCrosshair(std::nullopt);
}

} // namespace ui
