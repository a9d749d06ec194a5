#pragma once

#include "ui/timeline/ruler_tags.h"

#include <QColor>
#include <QRectF>
#include <QString>
#include <QWidget>

#include <vector>

namespace ui {

class TimelineState;
struct RulerTick;

/// Time ticks, iterations, and the time under the crosshair. Dragging on it selects a span of time
/// over all tracks; a click on an iteration picks it.
class TimelineRuler : public QWidget
{
    Q_OBJECT

public:
    static constexpr int Height = 40;

    explicit TimelineRuler(TimelineState &state, QWidget *parent = nullptr);

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;

private:
    /// A span of time that is marked or selected, and where its length is written.
    struct Span
    {
        double from, to;
        QRectF tag;
        QString text;
        QColor colour;
    };
    std::vector<Span> spans(const QFontMetrics &metrics) const;
    TagPlaces tagPlaces(const QFontMetrics &metrics) const;
    QRectF timeLabel(const RulerTick &tick, const QFontMetrics &metrics) const;
    void paintTicks(QPainter &painter, const std::vector<Span> &covering) const;
    void paintIterations(QPainter &painter) const;
    void paintSpan(QPainter &painter, const Span &span) const;
    void addFlags(std::vector<Span> &all, TagPlaces &places,
                  const QFontMetrics &metrics) const; ///< by time
    void paintCrosshair(QPainter &painter, const std::vector<Span> &covering) const;

    TimelineState &m_state;
    double m_pressedX = 0;
};

} // namespace ui
