#pragma once

#include <QWidget>

namespace ui {

class TimelineState;

/// Time ticks, iterations, and the time under the crosshair. Dragging on it selects a span of time
/// over all tracks.
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
    void leaveEvent(QEvent *event) override;

private:
    void paintTicks(QPainter &painter) const;
    void paintIterations(QPainter &painter) const;
    void paintSpan(QPainter &painter) const;
    void paintCrosshair(QPainter &painter) const;

    TimelineState &m_state;
    double m_pressedX = 0;
};

} // namespace ui
