#pragma once

#include "ui/theme/theme.h"

#include <QRect>
#include <QWidget>

#include <vector>

class QPainter;

namespace ui {

class GraphCanvas;

/// Lines that say what colours, lines and marks of some drawings mean, of those that they have.
class GraphLegend : public QWidget
{
    Q_OBJECT

public:
    /// The canvases must outlive it.
    explicit GraphLegend(std::vector<const GraphCanvas *> canvases, QWidget *parent = nullptr);

    /// Pixels that the lines take in a width.
    static int heightOf(const std::vector<const GraphCanvas *> &canvases, int width);
    /// Paints the lines, for a picture.
    static void paint(QPainter &painter, const QRect &area,
                      const std::vector<const GraphCanvas *> &canvases, const Theme &theme);

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void updateHeight();

    std::vector<const GraphCanvas *> m_canvases;
};

} // namespace ui
