#pragma once

#include <QPixmap>
#include <QWidget>

namespace ui {

class GraphCanvas;

/// The whole drawing in a strip, with the part that the canvas shows, which can be dragged.
class GraphMinimap : public QWidget
{
    Q_OBJECT

public:
    static constexpr int Height = 44;

    explicit GraphMinimap(GraphCanvas &canvas, QWidget *parent = nullptr);

    void redraw(); ///< the drawing changed

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override; ///< arrows: by a tenth of what is seen

private:
    void rebuild();
    void moveTo(double x);

    GraphCanvas &m_canvas;
    QPixmap m_picture;
};

} // namespace ui
