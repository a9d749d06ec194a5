#include "ui/timeline/drawing/pixel_canvas.h"

#include <QPainter>
#include <QPainterPath>
#include <QPolygonF>

#include <algorithm>

namespace ui {

namespace {

    /// Pixels of a hatch's period that have its colour.
    int stripeWidth(int period)
    {
        return std::max(1, period * 35 / 100);
    }

    /// The part of a convex polygon where `sign` * (x + y) is at most `sign` * `sum`.
    QPolygonF cutAt(const QPolygonF &polygon, double sum, double sign)
    {
        QPolygonF kept;
        for (qsizetype i = 0; i < polygon.size(); ++i) {
            const QPointF from = polygon[i], to = polygon[(i + 1) % polygon.size()];
            const double a = sign * (sum - from.x() - from.y());
            const double b = sign * (sum - to.x() - to.y());
            if (a >= 0)
                kept << from;
            if ((a > 0 && b < 0) || (a < 0 && b > 0))
                kept << from + (to - from) * (a / (a - b));
        }
        return kept;
    }

} // namespace

PixelCanvas::PixelCanvas(QImage &image)
    : m_bits(reinterpret_cast<QRgb *>(image.bits()))
    , m_stride(image.bytesPerLine() / static_cast<qsizetype>(sizeof(QRgb)))
    , m_width(image.width())
    , m_height(image.height())
{
    Q_ASSERT(image.format() == QImage::Format_RGB32);
}

PixelCanvas::PixelCanvas(QPainter &painter, QSize size)
    : m_painter(&painter)
    , m_width(size.width())
    , m_height(size.height())
{
}

void PixelCanvas::fillPainted(const QRect &rect, QRgb colour)
{
    m_painter->fillRect(rect, QColor(colour));
}

void PixelCanvas::hatch(int x, int y, int width, int height, QRgb colour, QRgb ground, int period)
{
    if (!clip(x, y, width, height)) {
        return;
    }
    if (m_painter != nullptr) {
        hatchPainted(QRect(x, y, width, height), colour, ground, period);
        return;
    }
    const int stripe = stripeWidth(period);
    for (int row = y; row < y + height; ++row) {
        QRgb *pixels = line(row);
        for (int column = x; column < x + width; ++column) {
            pixels[column] = (column + row) % period < stripe ? colour : ground;
        }
    }
}

/// All stripes are one path, which keeps files small.
void PixelCanvas::hatchPainted(const QRect &rect, QRgb colour, QRgb ground, int period)
{
    m_painter->fillRect(rect, QColor(ground));
    const QRectF area(rect);
    const QPolygonF corners(
        { area.topLeft(), area.topRight(), area.bottomRight(), area.bottomLeft() });
    const int last = rect.right() + rect.bottom() + 2;
    QPainterPath stripes;
    for (int from = (rect.x() + rect.y()) / period * period; from < last; from += period) {
        const QPolygonF stripe = cutAt(cutAt(corners, from + stripeWidth(period), 1), from, -1);
        if (stripe.size() >= 3) {
            stripes.addPolygon(stripe);
            stripes.closeSubpath();
        }
    }
    m_painter->fillPath(stripes, QColor(colour));
}

} // namespace ui
