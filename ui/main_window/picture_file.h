#pragma once

#include <QImage>
#include <QSize>
#include <QString>

#include <functional>

class QPainter;

namespace ui {

/// What can be drawn to an image or as vectors.
struct Picture
{
    QSize size; ///< pixels of the window
    /// At the painter's origin; an image has `detail` pixels for one of the window's.
    std::function<void(QPainter &painter, double detail, bool isVector)> paint;
};

/// Smallest and largest scale of an image.
inline constexpr double SmallestScale = 1, LargestScale = 8;

/// A name as typed, with the suffix of the chosen kind ("PDF (*.pdf)") unless it has one of
/// `kinds`; the suggested name takes the chosen one in place of its own.
QString withSuffix(const QString &path, const QString &suggested, const QString &kinds,
                   const QString &chosen);

/// Whether the name ends in .svg or .pdf: text stays text there, and the scale says nothing.
bool isVectorFile(const QString &file);

/// Why a picture of this size is not written to the file, and what to change; empty: it can be.
QString whyTooLarge(QSize size, double scale, const QString &file);

/// Draws a picture that is not too large. GUI thread where the picture's paint() is. Throws
/// core::Error with the remedy where there is no memory for it.
QImage drawnImage(const Picture &picture, double scale);
/// Throws core::Error naming the file. Any thread.
void writePng(const QImage &image, const QString &file);
/// As SVG or PDF, whose one page is the picture. Throws core::Error naming the file.
void writeVectors(const Picture &picture, const QString &file);

/// All of that at once. Throws core::Error saying why not.
void writePicture(const Picture &picture, double scale, const QString &file);

} // namespace ui
