#pragma once

#include <QImage>
#include <QWidget>

namespace ui {

class TimelineState;

/// The whole range in one strip: what the ranks did on average (compute above, communication
/// below), search hits, and the visible window, which can be dragged, resized at its edges and
/// drawn anew.
class TimelineOverview : public QWidget
{
    Q_OBJECT

public:
    static constexpr int Height = 44;

    explicit TimelineOverview(TimelineState &state, QWidget *parent = nullptr);

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;

private:
    enum class Grip { None, Window, Start, End };

    void rebuild();
    Grip gripAt(double x) const;
    void paintWindow(QPainter &painter) const;
    void paintHits(QPainter &painter) const;

    TimelineState &m_state;
    QImage m_density;
    bool m_isDensityValid = false;
    QRgb m_densityGround = 0; ///< tells the theme that it was painted for
    Grip m_grip = Grip::None;
    double m_grippedX = 0;
};

} // namespace ui
