#include "ui/timeline/timeline_body.h"

#include "ui/theme/theme.h"
#include "ui/timeline/drawing/counter_curve.h"
#include "ui/timeline/drawing/dependency_arrows.h"
#include "ui/timeline/timeline_steps.h"
#include "ui/widgets/format.h"

#include <QApplication>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <set>
#include <vector>

namespace ui {

TimelineBody::TimelineBody(TimelineState &state, QWidget *parent)
    : QWidget(parent)
    , m_state(state)
{
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    connect(&state, &TimelineState::sourceChanged, this, &TimelineBody::invalidate);
    connect(&state, &TimelineState::axisChanged, this, &TimelineBody::invalidate);
    connect(&state, &TimelineState::layoutChanged, this, &TimelineBody::invalidate);
    connect(&state, &TimelineState::marksChanged, this, &TimelineBody::invalidate);
    const auto repaint = qOverload<>(&QWidget::update);
    connect(&state, &TimelineState::selectionChanged, this, repaint);
    connect(&state, &TimelineState::hoverChanged, this, repaint);
    connect(&state, &TimelineState::areaChanged, this, repaint);
}

void TimelineBody::setPlaceholder(const QString &text)
{
    m_placeholder = text;
    update();
}

void TimelineBody::invalidate()
{
    m_isFrameValid = false;
    update();
}

TimelineFrame TimelineBody::frame() const
{
    TimelineFrame frame;
    frame.source = m_state.source();
    frame.layout = &m_state.layout();
    frame.criticalPath = m_state.isCriticalPathShown() ? &m_state.criticalPath() : nullptr;
    for (const TimelineIteration &iteration : m_state.iterations()) {
        frame.iterationBoundsNs.push_back(iteration.range.startNs);
        frame.iterationBoundsNs.push_back(iteration.range.endNs);
    }
    frame.axis = m_state.axis();
    frame.pixelRatio = devicePixelRatioF();
    frame.theme = themeOf(palette());
    frame.font = uiFont(TextSize::Small);
    return frame;
}

void TimelineBody::paintFrames()
{
    const int sticky = m_state.stickyHeight();
    TimelineFrame scrolled = frame();
    scrolled.scrollY = m_state.scrollY() + sticky;
    scrolled.size = { width(), height() - sticky };
    m_frame = m_painter.paint(scrolled);
    if (sticky > 0) {
        TimelineFrame pinned = frame();
        pinned.size = { width(), sticky };
        m_pinnedFrame = m_pinnedPainter.paint(pinned);
    }
}

bool TimelineBody::hasArrowAtPinned() const
{
    const auto isPinned = [this](const TimelineHit &hit) {
        return rowOfTrack(m_state.layout(), hit.track).y < m_state.stickyHeight();
    };
    return std::ranges::any_of(m_state.arrows(), [&isPinned](const TimelineArrow &arrow) {
        return isPinned(arrow.from) || isPinned(arrow.to);
    });
}

void TimelineBody::saveAndClipTo(QPainter &painter, int contentY) const
{
    const int sticky = m_state.stickyHeight();
    painter.save();
    if (sticky == 0 || contentY == AnyLine) {
        return;
    }
    painter.setClipRect(contentY < sticky ? QRect(0, 0, width(), sticky)
                                          : QRect(0, sticky, width(), height() - sticky),
                        Qt::IntersectClip);
}

void TimelineBody::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    if (m_state.source() == nullptr) {
        paintPlaceholder(painter);
        return;
    }
    if (!m_isFrameValid) {
        paintFrames();
        m_isFrameValid = true;
    }
    painter.drawImage(0, m_state.stickyHeight(), m_frame);
    if (m_state.stickyHeight() > 0) {
        painter.drawImage(0, 0, m_pinnedFrame);
        painter.fillRect(0, m_state.stickyHeight() - 1, width(), 2,
                         themeOf(palette()).secondaryText);
    }
    paintMarked(painter);
    if (const auto ns = m_state.crosshairNs()) {
        QColor colour = themeOf(palette()).secondaryText;
        colour.setAlphaF(0.6F);
        const double x = std::floor(m_state.axis().xOf(*ns));
        painter.fillRect(QRectF(x, 0, 1, height()), colour);
        paintCounterValues(painter, *ns);
    }
}

void TimelineBody::paintMarked(QPainter &painter) const
{
    paintArea(painter);
    paintMarks(painter);
    paintHover(painter);
    paintSearchHits(painter);
    paintSelection(painter);
    saveAndClipTo(painter, hasArrowAtPinned() ? AnyLine : m_state.stickyHeight());
    paintArrows(painter, m_state, themeOf(palette()), width());
    painter.restore();
}

void TimelineBody::paintOnto(QPainter &painter, double detail, bool isVector)
{
    TimelineFrame whole = frame();
    whole.size = size();
    whole.pixelRatio = detail;
    if (isVector)
        m_painter.paint(whole, painter);
    else
        painter.drawImage(0, 0, m_painter.paint(whole));
    m_isFrameValid = false;
    painter.setClipRect(rect());
    paintMarked(painter);
    painter.setClipping(false);
}

/// Writes beside the crosshair what each counter in sight has there.
void TimelineBody::paintCounterValues(QPainter &painter, std::int64_t ns) const
{
    painter.setFont(uiFont(TextSize::Small));
    for (const auto &[first, last] : m_state.rowsInView()) {
        for (std::size_t i = first; i < last; ++i) {
            const TimelineRow &row = m_state.layout().rows[i];
            if (row.isCounter && row.kind == RowKind::Track)
                paintCounterValue(painter, row, ns);
        }
    }
}

void TimelineBody::paintCounterValue(QPainter &painter, const TimelineRow &row,
                                     std::int64_t ns) const
{
    constexpr int Gap = 5, Margin = 3;
    const Theme &theme = themeOf(palette());
    const double x = std::floor(m_state.axis().xOf(ns));
    const QString text = counterTextAt(row.firstTrack, ns);
    const QFontMetrics metrics = painter.fontMetrics();
    const int width = metrics.horizontalAdvance(text) + 2 * Margin;
    const bool isLeft = x + Gap + width > this->width();
    const QRectF plate(isLeft ? x - Gap - width : x + Gap, row.y - m_state.scrollAt(row.y) + 3,
                       width, metrics.height());
    QColor ground = theme.panel;
    ground.setAlphaF(0.88F);
    saveAndClipTo(painter, row.y);
    painter.fillRect(plate, ground);
    painter.setPen(theme.text);
    painter.drawText(plate, Qt::AlignCenter, text);
    painter.restore();
}

QString TimelineBody::counterTextAt(std::size_t track, std::int64_t ns) const
{
    const TimelineSource &source = *m_state.source();
    return counterText(source.tracks()[track].counter->unit,
                       counterValue(source, track, ns, m_state.axis().resolutionNs()));
}

void TimelineBody::paintPlaceholder(QPainter &painter) const
{
    const Theme &theme = themeOf(palette());
    painter.fillRect(rect(), theme.background);
    painter.setPen(theme.secondaryText);
    painter.setFont(uiFont(TextSize::Normal));
    painter.drawText(rect().adjusted(32, 32, -32, -32), Qt::AlignCenter | Qt::TextWordWrap,
                     m_placeholder);
}

QRectF TimelineBody::rectOf(const TimelineHit &hit) const
{
    const int scrollY = m_state.scrollAt(rowOfTrack(m_state.layout(), hit.track).y);
    QRectF rect = boxRect(m_state.layout(), m_state.axis(), scrollY, hit.track, hit.box.depth,
                          hit.box.startNs, hit.box.endNs);
    rect.setLeft(std::max(rect.left(), -10.0));
    rect.setRight(std::min(rect.right(), width() + 10.0));
    return rect;
}

void TimelineBody::paintSelection(QPainter &painter) const
{
    if (!m_state.selection()) {
        return;
    }
    const Theme &theme = themeOf(palette());
    const QRectF rect = rectOf(*m_state.selection());
    if (rect.right() < 0 || rect.left() > width()) {
        return;
    }
    saveAndClipTo(painter, rowOfTrack(m_state.layout(), m_state.selection()->track).y);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.background, 1));
    painter.drawRect(rect.adjusted(-2.5, -2.5, 1.5, 1.5));
    QPen outline(theme.accent, 2);
    outline.setJoinStyle(Qt::MiterJoin);
    painter.setPen(outline);
    painter.drawRect(rect.adjusted(-1, -1, 0, 0));
    constexpr double EasilySeenPx = 6;
    if (rect.width() < EasilySeenPx) {
        paintPointer(painter, rect);
    }
    painter.restore();
}

/// Above a selected slice of a few pixels: an arrow that nothing beside it can hide.
void TimelineBody::paintPointer(QPainter &painter, const QRectF &rect) const
{
    constexpr double HalfWidth = 6, Height = 9, Gap = 3;
    const Theme &theme = themeOf(palette());
    const bool isBelow = rect.top() < Height + Gap; // no room above the first row
    const double tip = isBelow ? rect.bottom() + Gap : rect.top() - Gap;
    const double base = isBelow ? tip + Height : tip - Height;
    const double x = rect.center().x();
    const QPointF corners[] { { x, tip }, { x - HalfWidth, base }, { x + HalfWidth, base } };
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.background, 1.5));
    painter.setBrush(theme.accent);
    painter.drawConvexPolygon(corners, 3);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

/// A bar below the row of each hit, at least a few pixels wide; of hits side by side, one.
void TimelineBody::paintSearchHits(QPainter &painter) const
{
    constexpr double Narrowest = 6, Height = 4;
    constexpr std::size_t Hidden = std::numeric_limits<std::size_t>::max();
    if (m_state.searchHits().empty()) {
        return;
    }
    std::vector<std::size_t> shownAs(m_state.givenSource()->tracks().size(), Hidden);
    for (std::size_t track = 0; track < m_state.source()->tracks().size(); ++track) {
        shownAs.at(m_state.givenTrack(track)) = track;
    }
    const TimeAxis &axis = m_state.axis();
    const QColor colour = themeOf(palette()).warning;
    std::map<int, double> paintedTo; // by the bar's top
    for (const TimelineSearchHit &hit : m_state.searchHits()) {
        const bool isSeen
            = axis.visible().overlaps({ hit.startNs, std::max(hit.startNs + 1, hit.endNs) });
        if (!isSeen || hit.track >= shownAs.size() || shownAs[hit.track] == Hidden) {
            continue;
        }
        const TimelineRow &row = rowOfTrack(m_state.layout(), shownAs[hit.track]);
        const double from = std::max(0.0, std::floor(axis.xOf(hit.startNs)));
        const double to = std::min<double>(width(), std::ceil(axis.xOf(hit.endNs)));
        const double spare = std::max(0.0, Narrowest - (to - from)) / 2;
        const int bottom = row.bottom() - m_state.scrollAt(row.y);
        const QRectF bar(QPointF(from - spare, bottom - Height), QPointF(to + spare, bottom));
        double &done = paintedTo.try_emplace(row.bottom(), -Narrowest).first->second;
        if (bar.right() > done) {
            saveAndClipTo(painter, row.y);
            painter.fillRect(bar, colour);
            painter.restore();
            done = bar.right();
        }
    }
}

void TimelineBody::paintHover(QPainter &painter) const
{
    if (!m_state.hover()) {
        return;
    }
    QColor veil = themeOf(palette()).text;
    veil.setAlphaF(0.18F);
    saveAndClipTo(painter, rowOfTrack(m_state.layout(), m_state.hover()->track).y);
    painter.fillRect(rectOf(*m_state.hover()), veil);
    painter.restore();
}

void TimelineBody::paintArea(QPainter &painter) const
{
    if (!m_state.area()) {
        return;
    }
    const TimelineArea &area = *m_state.area();
    const TimelineLayout &layout = m_state.layout();
    const TimelineRow &first = rowOfTrack(layout, area.firstTrack);
    const TimelineRow &last = rowOfTrack(layout, area.endTrack - 1);
    const int top = first.y - m_state.scrollAt(first.y);
    const int bottom = last.bottom() - m_state.scrollAt(last.y);
    const QRectF rect(QPointF(std::round(m_state.axis().xOf(area.range.startNs)), top),
                      QPointF(std::round(m_state.axis().xOf(area.range.endNs)), bottom));
    QColor fill = themeOf(palette()).accent;
    painter.setPen(QPen(fill, 1));
    fill.setAlphaF(0.14F);
    painter.setBrush(fill);
    saveAndClipTo(painter, first.y >= m_state.stickyHeight() ? first.y : AnyLine);
    painter.drawRect(rect.intersected(QRectF(-10, -10, width() + 20, height() + 20)));
    painter.restore();
}

void TimelineBody::paintMarks(QPainter &painter) const
{
    std::vector<core::TimeRange> marks = m_state.keptMarks();
    if (m_state.mark()) {
        marks.push_back(*m_state.mark());
    }
    constexpr double NarrowPx = 4; // below, edges would cover what is marked
    std::set<double> shaded; // a pixel is shaded once, however many marks it has
    for (const core::TimeRange &mark : marks) {
        if (!mark.overlaps(m_state.visible()))
            continue;
        QColor colour = themeOf(palette()).warning;
        const double from = std::round(m_state.axis().xOf(mark.startNs));
        const double to = std::round(m_state.axis().xOf(mark.endNs));
        if (to - from < NarrowPx) {
            colour.setAlphaF(0.35F);
            if (shaded.insert(from).second)
                painter.fillRect(QRectF(from, 0, std::max(1.0, to - from), height()), colour);
            continue;
        }
        painter.fillRect(QRectF(from, 0, 1, height()), colour);
        painter.fillRect(QRectF(to, 0, 1, height()), colour);
        colour.setAlphaF(0.07F);
        const double left = std::max(from, 0.0);
        painter.fillRect(QRectF(left, 0, std::min(to, double(width())) - left, height()), colour);
    }
}

void TimelineBody::resizeEvent(QResizeEvent *)
{
    m_state.setWidth(width());
    m_state.setViewportHeight(height());
    invalidate();
}

void TimelineBody::mousePressEvent(QMouseEvent *event)
{
    m_pressedAt = m_lastAt = event->position();
    if (event->button() == Qt::MiddleButton) {
        m_drag = Drag::Pan;
        m_state.pushHistory();
        setCursor(Qt::ClosedHandCursor);
    } else if (event->button() == Qt::LeftButton) {
        m_drag = Drag::Undecided;
    }
    event->ignore(); // the timeline takes the focus
}

void TimelineBody::mouseMoveEvent(QMouseEvent *event)
{
    const QPointF at = event->position();
    if (m_drag == Drag::Undecided
        && (at - m_pressedAt).manhattanLength() > QApplication::startDragDistance() / 2) {
        m_drag = Drag::Area;
    }
    if (m_drag == Drag::Pan) {
        m_state.pan(m_lastAt.x() - at.x());
        m_state.setScrollY(m_state.scrollY()
                           + static_cast<int>(std::lround(m_lastAt.y() - at.y())));
    } else if (m_drag == Drag::Area && !m_state.layout().rows.empty()) {
        m_state.setArea(areaBetween(m_pressedAt, at));
    }
    m_lastAt = at;
    if (m_state.source() != nullptr) {
        m_state.setCrosshair(m_state.axis().nsAt(at.x()));
        m_state.setHover(m_drag == Drag::None ? hitAt(m_state, at.x(), at.y()) : std::nullopt);
    }
}

void TimelineBody::mouseReleaseEvent(QMouseEvent *event)
{
    if (m_drag == Drag::Undecided && m_state.source() != nullptr) {
        const QPointF at = event->position();
        const auto hit = hitAt(m_state, at.x(), at.y());
        if (event->modifiers() & Qt::ControlModifier) {
            if (hit)
                m_state.setArea(areaWith(m_state, *hit));
            m_drag = Drag::None;
            return;
        }
        m_state.select(hit);
        emit sliceClicked();
        const TimelineRow *row
            = rowAt(m_state.layout(), m_state.contentY(static_cast<int>(at.y())));
        if (!m_state.selection() && row != nullptr && row->kind == RowKind::Track
            && !row->isCounter) {
            emit gapClicked(row->firstTrack, m_state.axis().nsAt(at.x()));
        }
    }
    m_drag = Drag::None;
    unsetCursor();
}

void TimelineBody::mouseDoubleClickEvent(QMouseEvent *event)
{
    m_drag = Drag::None;
    const auto hit = hitAt(m_state, event->position().x(), event->position().y());
    if (event->button() == Qt::LeftButton && hit) {
        m_state.pushHistory();
        m_state.setVisible(padded({ hit->box.startNs, hit->box.endNs }, 0.1));
    }
}

void TimelineBody::wheelEvent(QWheelEvent *event)
{
    QPointF delta = event->pixelDelta();
    if (delta.isNull()) {
        delta = QPointF(event->angleDelta()) / 2; // a notch of 120 is 60 px
    }
    if (event->modifiers() & Qt::ControlModifier) {
        m_state.zoomAt(std::pow(1.25, (delta.x() + delta.y()) / 60), event->position().x());
    } else if (event->modifiers() & (Qt::ShiftModifier | Qt::AltModifier)) {
        m_state.pan(-(delta.x() + delta.y()) * 2); // some platforms turn the axes themselves
    } else {
        m_state.pan(-delta.x());
        m_state.setScrollY(m_state.scrollY() - static_cast<int>(std::lround(delta.y())));
    }
    event->accept();
}

void TimelineBody::leaveEvent(QEvent *)
{
    m_state.setHover(std::nullopt);
    m_state.setCrosshair(std::nullopt);
}

void TimelineBody::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        invalidate();
    }
    QWidget::changeEvent(event);
}

bool TimelineBody::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip || m_state.source() == nullptr) {
        return QWidget::event(event);
    }
    const auto *help = static_cast<QHelpEvent *>(event);
    if (const auto hit = hitAt(m_state, help->pos().x(), help->pos().y())) {
        QToolTip::showText(help->globalPos(), tooltipOf(*hit), this);
    } else if (const TimelineRow *row = rowAt(m_state.layout(), m_state.contentY(help->pos().y()));
               row != nullptr && row->isCounter && row->kind == RowKind::Track) {
        QToolTip::showText(help->globalPos(),
                           toolTipParagraphs(counterToolTip(row->firstTrack,
                                                            m_state.axis().nsAt(help->pos().x()))),
                           this);
    } else {
        QToolTip::hideText();
    }
    return true;
}

QString TimelineBody::counterToolTip(std::size_t track, std::int64_t ns) const
{
    const TimelineTrack &shown = m_state.source()->tracks()[track];
    const TimelineCounter &counter = *shown.counter;
    QString text = QStringLiteral("%1 \u00b7 %2\n").arg(shown.group, shown.name)
        + tr("%1 here, %2 at most")
              .arg(counterTextAt(track, ns), counterText(counter.unit, counter.maximum));
    if (counter.limit)
        text += QStringLiteral("\n%1: %2")
                    .arg(counter.limitName, counterText(counter.unit, *counter.limit));
    return text;
}

QString TimelineBody::tooltipOf(const TimelineHit &hit) const
{
    const TimelineBox &box = hit.box;
    const TimelineTrack &track = m_state.source()->tracks()[hit.track];
    QString text = QStringLiteral("<b>%1</b><br>%2 \u00b7 %3")
                       .arg(m_state.source()->boxName(hit.track, box.id).toHtmlEscaped(),
                            track.group.toHtmlEscaped(), track.name.toHtmlEscaped());
    if (box.count > 1) {
        text += tr("<br>%1 slices, busy %2 of %3; zoom in to tell them apart")
                    .arg(formatCount(box.count), formatDuration(box.busyNs),
                         formatDuration(box.endNs - box.startNs));
        return text;
    }
    text += QStringLiteral("<br>") + formatDuration(box.endNs - box.startNs);
    if (box.waitNs > 0) {
        text += tr(": waits %1 for other ranks, transfers %2")
                    .arg(formatDuration(box.waitNs),
                         formatDuration(box.endNs - box.startNs - box.waitNs));
    }
    return text;
}

TimelineArea TimelineBody::areaBetween(QPointF from, QPointF to) const
{
    const auto row = [this](double y) -> const TimelineRow & {
        const int line = std::clamp(m_state.contentY(static_cast<int>(y)), 0,
                                    std::max(0, m_state.layout().height - 1));
        return *rowAt(m_state.layout(), line);
    };
    const TimelineRow &upper = row(std::min(from.y(), to.y()));
    const TimelineRow &lower = row(std::max(from.y(), to.y()));
    const std::int64_t a = m_state.axis().nsAt(from.x());
    const std::int64_t b = m_state.axis().nsAt(to.x());
    TimelineArea area;
    area.range = { std::min(a, b), std::max(a, b) };
    if (upper.isCounter) { // of counters it is the time that is chosen, of all tracks
        area.endTrack = lower.isCounter ? m_state.source()->tracks().size() : lower.endTrack;
        return area;
    }
    area.firstTrack = upper.firstTrack;
    const bool isOpenHeader = lower.kind != RowKind::Track && !lower.isFolded && &lower != &upper;
    area.endTrack
        = std::max(isOpenHeader ? lower.firstTrack : lower.endTrack, upper.firstTrack + 1);
    return area;
}

} // namespace ui
