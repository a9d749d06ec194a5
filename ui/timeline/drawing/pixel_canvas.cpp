#include "ui/timeline/drawing/pixel_canvas.h"

#include <algorithm>

namespace ui {

PixelCanvas::PixelCanvas(QImage &image)
    : m_bits(reinterpret_cast<QRgb *>(image.bits()))
    , m_stride(image.bytesPerLine() / static_cast<qsizetype>(sizeof(QRgb)))
    , m_width(image.width())
    , m_height(image.height())
{
    Q_ASSERT(image.format() == QImage::Format_RGB32);
}

void PixelCanvas::hatch(int x, int y, int width, int height, QRgb colour, QRgb ground, int period)
{
    if (!clip(x, y, width, height)) {
        return;
    }
    const int stripe = std::max(1, period * 35 / 100);
    for (int row = y; row < y + height; ++row) {
        QRgb *pixels = line(row);
        for (int column = x; column < x + width; ++column) {
            pixels[column] = (column + row) % period < stripe ? colour : ground;
        }
    }
}

} // namespace ui
