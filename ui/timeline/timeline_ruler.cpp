#include "ui/timeline/timeline_ruler.h"

#include "ui/theme/theme.h"
#include "ui/timeline/iteration_bands.h"
#include "ui/timeline/ruler_tags.h"
#include "ui/timeline/time_format.h"
#include "ui/timeline/timeline_state.h"
#include "ui/widgets/format.h"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

    constexpr int IterationHeight = 18; ///< upper line; the ticks lie below
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
    for (const Span &span : marked)
        paintSpan(painter, span);
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
        const QRectF label(x + 5, IterationHeight,
                           painter.fontMetrics().horizontalAdvance(tick.label),
                           bottom - IterationHeight - 2);
        const bool isCovered
            = std::any_of(covering.begin(), covering.end(),
                          [&label](const Span &span) { return span.tag.intersects(label); });
        // Half a number would be another one: "62995 s" of "1.62995 s".
        if (tick.isMajor && !isCovered && label.left() >= 0 && label.right() < width())
            painter.drawText(label.adjusted(0, 0, 2, 0), Qt::AlignLeft | Qt::AlignVCenter,
                             tick.label);
    }
}

std::vector<TimelineRuler::Span> TimelineRuler::spans(const QFontMetrics &metrics) const
{
    const Theme &theme = themeOf(palette());
    std::vector<Span> all;
    std::vector<QRectF> tags;
    // Of marks beside each other only the first one says its length, so that it can be read.
    const auto addKept = [&](const Span &span) {
        const bool isCovered = std::ranges::any_of(
            tags, [&span](const QRectF &tag) { return tag.intersects(span.tag); });
        all.push_back(span);
        if (isCovered)
            all.back().tag = QRectF();
        else
            tags.push_back(span.tag);
    };
    const auto spanOf = [&](core::TimeRange range, const QColor &colour) {
        const double from = std::round(m_state.axis().xOf(range.startNs));
        const double to = std::round(m_state.axis().xOf(range.endNs));
        const double left = std::max(from, 0.0), right = std::min(to, double(width()));
        const QString text = formatDuration(range.durationNs());
        const double length = metrics.horizontalAdvance(text) + 10;
        const double tagX
            = std::clamp((left + right) / 2 - length / 2, 0.0, std::max(0.0, width() - length));
        return Span { left, right, QRectF(tagX, IterationHeight + 2, length, 16), text, colour };
    };
    for (const core::TimeRange &mark : m_state.keptMarks())
        if (mark.overlaps(m_state.visible()))
            addKept(spanOf(mark, theme.warning));
    addFlags(all, metrics);
    if (m_state.mark())
        all.push_back(spanOf(*m_state.mark(), theme.warning));
    if (m_state.area())
        all.push_back(spanOf(m_state.area()->range, theme.accent));
    return all;
}

/// A label ends where the next flag stands.
void TimelineRuler::addFlags(std::vector<Span> &all, const QFontMetrics &metrics) const
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
        all.push_back(
            { x, x + 2, QRectF(x, IterationHeight + 2, std::max(length, 3.0), 16), text, colour });
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
        if (!span.tag.isEmpty())
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
