#pragma once

#include <QWidget>

namespace ui {

class GraphCanvas;

/// A line that says what the colours and lines of the drawing mean, of those that it has.
class GraphLegend : public QWidget
{
    Q_OBJECT

public:
    explicit GraphLegend(GraphCanvas &canvas, QWidget *parent = nullptr);

    QSize sizeHint() const override { return { 600, 24 }; }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    GraphCanvas &m_canvas;
};

} // namespace ui
