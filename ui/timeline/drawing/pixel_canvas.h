#pragma once

#include <QImage>

#include <algorithm>
#include <cstddef>

class QPainter;

namespace ui {

/// Fills rectangles of an image by writing its scan lines: several times faster than QPainter for
/// the many small boxes of a timeline. Coordinates are device pixels; everything is clipped to the
/// image. The image must be Format_RGB32 and outlive the canvas.
/// For files of vectors the same is drawn by a painter, whose units are the pixels.
class PixelCanvas
{
public:
    explicit PixelCanvas(QImage &image);
    PixelCanvas(QPainter &painter, QSize size);

    int width() const { return m_width; }
    int height() const { return m_height; }

    /// Inline: most boxes are a few pixels.
    void fill(int x, int y, int width, int height, QRgb colour)
    {
        if (!clip(x, y, width, height))
            return;
        if (m_painter != nullptr)
            return fillPainted(QRect(x, y, width, height), colour);
        QRgb *pixels = line(y) + x;
        if (width == 1) { // every column of a summary
            for (; height > 0; --height, pixels += m_stride)
                *pixels = colour;
            return;
        }
        for (; height > 0; --height, pixels += m_stride)
            std::fill_n(pixels, width, colour);
    }
    /// 45 degree stripes of `colour` on `ground`; stripes of neighbouring areas line up.
    void hatch(int x, int y, int width, int height, QRgb colour, QRgb ground, int period);

private:
    bool clip(int &x, int &y, int &width, int &height) const
    {
        const int right = std::min(m_width, x + width);
        const int bottom = std::min(m_height, y + height);
        x = std::max(0, x);
        y = std::max(0, y);
        width = right - x;
        height = bottom - y;
        return width > 0 && height > 0;
    }
    void fillPainted(const QRect &rect, QRgb colour);
    void hatchPainted(const QRect &rect, QRgb colour, QRgb ground, int period);
    QRgb *line(int y) { return m_bits + static_cast<std::ptrdiff_t>(y) * m_stride; }

    QPainter *m_painter = nullptr; ///< null: an image's lines are written
    QRgb *m_bits = nullptr;
    std::ptrdiff_t m_stride = 0; ///< pixels from one line to the next
    int m_width, m_height;
};

} // namespace ui
