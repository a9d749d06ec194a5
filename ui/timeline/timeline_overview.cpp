#include "ui/timeline/timeline_overview.h"

#include "ui/theme/theme.h"
#include "ui/timeline/drawing/density_image.h"
#include "ui/timeline/timeline_state.h"

#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace ui {

TimelineOverview::TimelineOverview(TimelineState &state, QWidget *parent)
    : QWidget(parent)
    , m_state(state)
{
    setFixedHeight(Height);
    setMouseTracking(true);
    const auto repaint = qOverload<>(&QWidget::update);
    connect(&state, &TimelineState::sourceChanged, this, [this] {
        m_isDensityValid = false;
        update();
    });
    connect(&state, &TimelineState::axisChanged, this, repaint);
    connect(&state, &TimelineState::marksChanged, this, repaint);
}

void TimelineOverview::rebuild()
{
    const QSize pixels = (QSizeF(size()) * devicePixelRatioF()).toSize();
    const Theme &theme = themeOf(palette());
    const QRgb ground
        = (m_state.source()->isPredicted() ? theme.predictedGround : theme.background).rgb();
    if (m_isDensityValid && m_density.size() == pixels && m_densityGround == ground) {
        return;
    }
    m_density = densityImage(*m_state.source(), axisFor(m_state.limits(), pixels.width()),
                             pixels.height(), theme, ground);
    m_densityGround = ground;
    m_density.setDevicePixelRatio(devicePixelRatioF());
    m_isDensityValid = true;
}

void TimelineOverview::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const Theme &theme = themeOf(palette());
    painter.fillRect(rect(), theme.background);
    if (m_state.source() != nullptr) {
        rebuild();
        painter.drawImage(0, 0, m_density);
        const TimeAxis axis = axisFor(m_state.limits(), width());
        for (const TimelineIteration &iteration : m_state.iterations()) {
            painter.fillRect(QRectF(std::round(axis.xOf(iteration.range.startNs)), 0, 1, height()),
                             theme.line);
        }
        paintHits(painter);
        paintWindow(painter);
    }
    painter.fillRect(0, height() - 1, width(), 1, theme.line);
}

void TimelineOverview::paintHits(QPainter &painter) const
{
    const TimeAxis axis = axisFor(m_state.limits(), width());
    const QColor colour = themeOf(palette()).warning;
    int last = -1;
    for (const TimelineSearchHit &hit : m_state.searchHits()) {
        const int x = static_cast<int>(axis.xOf(hit.startNs));
        if (x != last) {
            painter.fillRect(x, 0, 2, 6, colour);
            last = x;
        }
    }
}

void TimelineOverview::paintWindow(QPainter &painter) const
{
    const Theme &theme = themeOf(palette());
    const TimeAxis axis = axisFor(m_state.limits(), width());
    const core::TimeRange visible = m_state.visible();
    const double from = std::floor(axis.xOf(visible.startNs));
    const double to = std::max(from + 2, std::ceil(axis.xOf(visible.endNs)));
    QColor veil = theme.panel;
    veil.setAlphaF(0.72F);
    painter.fillRect(QRectF(0, 0, from, height()), veil);
    painter.fillRect(QRectF(to, 0, width() - to, height()), veil);
    painter.setPen(QPen(theme.accent, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(QRectF(from, 0, to - from - 1, height() - 2));
    for (const double x : { from, to - 3 }) { // what the pointer takes to resize
        painter.fillRect(QRectF(x, height() / 2.0 - 7, 3, 12), theme.accent);
    }
}

TimelineOverview::Grip TimelineOverview::gripAt(double x) const
{
    constexpr double EdgePx = 5;
    const TimeAxis axis = axisFor(m_state.limits(), width());
    const double from = axis.xOf(m_state.visible().startNs);
    const double to = axis.xOf(m_state.visible().endNs);
    if (std::abs(x - to) <= EdgePx) {
        return Grip::End;
    }
    if (std::abs(x - from) <= EdgePx) {
        return Grip::Start;
    }
    return x > from && x < to ? Grip::Window : Grip::None;
}

void TimelineOverview::mousePressEvent(QMouseEvent *event)
{
    event->ignore();
    if (m_state.source() == nullptr || event->button() != Qt::LeftButton) {
        return;
    }
    m_state.pushHistory();
    m_grippedX = event->position().x();
    m_grip = gripAt(m_grippedX);
    if (m_grip == Grip::None) { // jumps there, and the drag goes on from there
        const TimeAxis axis = axisFor(m_state.limits(), width());
        const std::int64_t half = m_state.visible().durationNs() / 2;
        const std::int64_t at = axis.nsAt(m_grippedX);
        m_state.setVisible({ at - half, at + half });
        m_grip = Grip::Window;
    }
}

void TimelineOverview::mouseMoveEvent(QMouseEvent *event)
{
    const double x = event->position().x();
    if (m_grip == Grip::None || !(event->buttons() & Qt::LeftButton)) {
        const Grip grip = gripAt(x);
        setCursor(grip == Grip::Start || grip == Grip::End ? Qt::SizeHorCursor
                                                           : Qt::PointingHandCursor);
        return;
    }
    const TimeAxis axis = axisFor(m_state.limits(), width());
    core::TimeRange range = m_state.visible();
    const std::int64_t shift = axis.nsAt(x) - axis.nsAt(m_grippedX);
    if (m_grip != Grip::End) {
        range.startNs += shift;
    }
    if (m_grip != Grip::Start) {
        range.endNs += shift;
    }
    if (range.durationNs() >= MinimumVisibleNs) {
        m_state.setVisible(range);
    }
    m_grippedX = x;
}

void TimelineOverview::mouseReleaseEvent(QMouseEvent *)
{
    m_grip = Grip::None;
}

void TimelineOverview::wheelEvent(QWheelEvent *event)
{
    const TimeAxis axis = axisFor(m_state.limits(), width());
    const double x = m_state.axis().xOf(axis.nsAt(event->position().x()));
    m_state.zoomAt(std::pow(1.25, event->angleDelta().y() / 120.0),
                   std::clamp(x, 0.0, double(m_state.axis().widthPx)));
    event->accept();
}

} // namespace ui
