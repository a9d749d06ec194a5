#include "ui/graph/graph_minimap.h"

#include "ui/graph/graph_canvas.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace ui {

GraphMinimap::GraphMinimap(GraphCanvas &canvas, QWidget *parent)
    : QWidget(parent)
    , m_canvas(canvas)
{
    setFixedHeight(Height);
    setCursor(Qt::PointingHandCursor);
    setFocusPolicy(Qt::TabFocus);
    setProperty("focusFrame", true);
    setAccessibleName(tr("Overview of the graph"));
    connect(&m_canvas, &GraphCanvas::viewChanged, this, qOverload<>(&QWidget::update));
}

void GraphMinimap::redraw()
{
    m_picture = {};
    update();
}

void GraphMinimap::rebuild()
{
    const core::Drawing *const drawing = m_canvas.drawing();
    const Theme &theme = themeOf(palette());
    m_picture = QPixmap(size());
    m_picture.fill(theme.panel);
    if (drawing == nullptr || drawing->rowCount == 0)
        return;
    QPainter painter(&m_picture);
    const double width = std::max(1, this->width() - GraphCanvas::NamesWidth);
    const double unitsPerPixel = drawing->width / width;
    const double row = static_cast<double>(height() - 4) / drawing->rowCount;
    for (const core::SeenBlock &seen :
         core::seenBlocks(*drawing, 0, drawing->width, unitsPerPixel)) {
        const core::DrawnBlock &block = drawing->blocks[seen.block];
        if (!block.isOpen)
            painter.fillRect(QRectF(GraphCanvas::NamesWidth + seen.left / unitsPerPixel,
                                    2 + block.row * row,
                                    std::max(1.0, (seen.right - seen.left) / unitsPerPixel),
                                    std::max(1.0, row - 0.5)),
                             theme.role(block.role));
    }
}

void GraphMinimap::paintEvent(QPaintEvent *)
{
    if (m_picture.isNull())
        rebuild();
    QPainter painter(this);
    painter.drawPixmap(0, 0, m_picture);
    const core::Drawing *const drawing = m_canvas.drawing();
    if (drawing == nullptr)
        return;
    const Theme &theme = themeOf(palette());
    const double scale = (width() - GraphCanvas::NamesWidth) / drawing->width;
    const double left = GraphCanvas::NamesWidth + m_canvas.from() * scale;
    const double right = GraphCanvas::NamesWidth + m_canvas.to() * scale;
    QColor beside = theme.background;
    beside.setAlphaF(0.6F);
    painter.fillRect(QRectF(GraphCanvas::NamesWidth, 0, left - GraphCanvas::NamesWidth, height()),
                     beside);
    painter.fillRect(QRectF(right, 0, width() - right, height()), beside);
    painter.setPen(QPen(theme.accent, 1));
    painter.drawRect(QRectF(left, 0.5, std::max(2.0, right - left - 1), height() - 1));
    painter.setPen(theme.line);
    painter.drawLine(0, height() - 1, width(), height() - 1);
}

void GraphMinimap::resizeEvent(QResizeEvent *)
{
    redraw();
}

void GraphMinimap::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange)
        redraw();
    QWidget::changeEvent(event);
}

void GraphMinimap::moveTo(double x)
{
    const core::Drawing *const drawing = m_canvas.drawing();
    if (drawing == nullptr)
        return;
    const double place = (x - GraphCanvas::NamesWidth) * drawing->width
        / std::max(1, width() - GraphCanvas::NamesWidth);
    const double half = (m_canvas.to() - m_canvas.from()) / 2;
    m_canvas.showRange(place - half, place + half);
}

void GraphMinimap::mousePressEvent(QMouseEvent *event)
{
    moveTo(event->position().x());
}

void GraphMinimap::keyPressEvent(QKeyEvent *event)
{
    const double step = (m_canvas.to() - m_canvas.from()) / 10;
    if (event->key() == Qt::Key_Left)
        m_canvas.showRange(m_canvas.from() - step, m_canvas.to() - step);
    else if (event->key() == Qt::Key_Right)
        m_canvas.showRange(m_canvas.from() + step, m_canvas.to() + step);
    else
        QWidget::keyPressEvent(event);
}

void GraphMinimap::mouseMoveEvent(QMouseEvent *event)
{
    if (event->buttons().testFlag(Qt::LeftButton))
        moveTo(event->position().x());
}

} // namespace ui
