#pragma once

#include <QScrollBar>

namespace ui {

class GraphCanvas;

/// Moves a canvas up and down; hidden where all of its rows are seen.
class GraphScrollBar : public QScrollBar
{
    Q_OBJECT

public:
    explicit GraphScrollBar(GraphCanvas &canvas, QWidget *parent = nullptr);

private:
    void follow();

    GraphCanvas &m_canvas;
};

} // namespace ui
