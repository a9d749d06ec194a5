#pragma once

#include <QWidget>

namespace ui {

class TimelineState;
struct TimelineLayout;
struct TimelineRow;

/// The names of the rows, with arrows that fold them; its right edge is dragged to resize it.
class TimelineTrackColumn : public QWidget
{
    Q_OBJECT

public:
    static constexpr int MinimumWidth = 180;
    static constexpr int MaximumWidth = 420;
    static constexpr int WidestFitted = 320; ///< longer names are cut until the user drags the edge

    /// In which every name is whole, up to WidestFitted. Of the rows of an indent the name with the
    /// most characters is measured: there may be thousands.
    static int fittedWidth(const TimelineLayout &layout);

    explicit TimelineTrackColumn(TimelineState &state, QWidget *parent = nullptr);

signals:
    void widthDragged(int width); ///< within the bounds

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    bool event(QEvent *event) override;

private:
    void paintRow(QPainter &painter, const TimelineRow &row) const;
    void paintCounterLabel(QPainter &painter, const TimelineRow &row, int top) const;
    void paintArrow(QPainter &painter, const TimelineRow &row, double x, double y) const;
    bool isAtEdge(double x) const;

    TimelineState &m_state;
    bool m_isResizing = false;
};

} // namespace ui
