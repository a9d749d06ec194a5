#pragma once

#include <QImage>

namespace ui {

/// Fills rectangles of an image by writing its scan lines: several times faster than QPainter for
/// the many small boxes of a timeline. Coordinates are device pixels; everything is clipped to the
/// image. The image must be Format_RGB32 and outlive the canvas.
class PixelCanvas
{
public:
    explicit PixelCanvas(QImage &image);

    int width() const { return m_width; }
    int height() const { return m_height; }

    void fill(int x, int y, int width, int height, QRgb colour);
    /// 45 degree stripes of `colour` on `ground`; stripes of neighbouring areas line up.
    void hatch(int x, int y, int width, int height, QRgb colour, QRgb ground, int period);

private:
    bool clip(int &x, int &y, int &width, int &height) const;
    QRgb *line(int y) { return m_bits + static_cast<std::ptrdiff_t>(y) * m_stride; }

    QRgb *m_bits;
    std::ptrdiff_t m_stride; ///< pixels from one line to the next
    int m_width, m_height;
};

} // namespace ui
