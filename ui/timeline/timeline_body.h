#pragma once

#include "ui/timeline/timeline_painter.h"
#include "ui/timeline/timeline_state.h"

#include <QPoint>
#include <QWidget>

namespace ui {

/// The track area: boxes, selection, crosshair; mouse and wheel. The boxes are painted into an
/// image that is kept until what it shows changes, so that hovering repaints no box.
class TimelineBody : public QWidget
{
    Q_OBJECT

public:
    explicit TimelineBody(TimelineState &state, QWidget *parent = nullptr);

    /// Text on an empty timeline.
    void setPlaceholder(const QString &text);
    /// Draws what is shown, without what follows the pointer: each pixel as `detail` x `detail`
    /// ones, or as vectors that are as fine.
    void paintOnto(QPainter &painter, double detail, bool isVector);
    PaintStatistics paintStatistics() const { return m_painter.statistics(); }

signals:
    void sliceClicked(); ///< the user selected a slice, or nothing, with the mouse
    void gapClicked(std::size_t track, std::int64_t ns); ///< where the track has no slice

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void leaveEvent(QEvent *event) override;
    bool event(QEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    enum class Drag { None, Undecided, Area, Pan };

    void invalidate();
    TimelineFrame frame() const; ///< without its place
    void paintFrames();
    void paintMarked(QPainter &painter) const;
    /// Content lines that scroll do not show over those that do not; until restore().
    static constexpr int AnyLine = -1; ///< no clip
    void saveAndClipTo(QPainter &painter, int contentY) const;
    bool hasArrowAtPinned() const; ///< one that leads over the edge of what is pinned
    void paintCounterValue(QPainter &painter, const TimelineRow &row, std::int64_t ns) const;
    void paintSelection(QPainter &painter) const;
    void paintCounterValues(QPainter &painter, std::int64_t ns) const;
    QString counterTextAt(std::size_t track, std::int64_t ns) const;
    QString counterToolTip(std::size_t track, std::int64_t ns) const;
    void paintPointer(QPainter &painter, const QRectF &rect) const;
    void paintHover(QPainter &painter) const;
    void paintSearchHits(QPainter &painter) const;
    void paintArea(QPainter &painter) const;
    void paintMarks(QPainter &painter) const;
    void paintPlaceholder(QPainter &painter) const;
    QRectF rectOf(const TimelineHit &hit) const;
    TimelineArea areaBetween(QPointF from, QPointF to) const;
    QString tooltipOf(const TimelineHit &hit) const;

    TimelineState &m_state;
    TimelinePainter m_painter, m_pinnedPainter;
    QImage m_frame, m_pinnedFrame; ///< below what stays, and that
    bool m_isFrameValid = false;
    QString m_placeholder;
    Drag m_drag = Drag::None;
    QPointF m_pressedAt, m_lastAt;
};

} // namespace ui
