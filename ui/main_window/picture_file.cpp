#include "ui/main_window/picture_file.h"

#include "core/base/error.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>

#include <algorithm>
#include <cmath>

namespace ui {

namespace {

    constexpr int PixelsPerInch = 96;
    constexpr int PdfPointsPerInch = 72;
    constexpr int PdfUnitsPerPixel = 4;
    constexpr double VectorDetail = 2; ///< boxes are told apart by half a pixel
    constexpr double LongestSide = 32'767; ///< of what QPainter draws on
    constexpr double LongestPdfSide = 19'200; ///< 14,400 points, the format's bound
    constexpr double MostPixels = 150'000'000; ///< 600 MB

    struct PictureText
    {
        Q_DECLARE_TR_FUNCTIONS(PictureFile)
    };

    bool isPdf(const QString &file)
    {
        return file.endsWith(QLatin1String(".pdf"), Qt::CaseInsensitive);
    }

    [[noreturn]] void failToWrite(const QString &file)
    {
        throw core::Error(
            PictureText::tr("%1 could not be written. Choose a folder that you may write to.")
                .arg(QFileInfo(file).fileName())
                .toStdString());
    }

    QString title(const QString &file)
    {
        return QFileInfo(file).completeBaseName();
    }

    bool drawSvg(const Picture &picture, const QString &file, QIODevice &device)
    {
        QSvgGenerator writer;
        writer.setOutputDevice(&device);
        writer.setSize(picture.size);
        writer.setViewBox(QRect(QPoint(), picture.size));
        writer.setResolution(PixelsPerInch);
        writer.setTitle(title(file));
        QPainter painter;
        if (!painter.begin(&writer))
            return false;
        picture.paint(painter, VectorDetail, true);
        return painter.end();
    }

    bool drawPdf(const Picture &picture, const QString &file, QIODevice &device)
    {
        QPdfWriter writer(&device);
        writer.setPageSize(QPageSize(QSizeF(picture.size) * PdfPointsPerInch / PixelsPerInch,
                                     QPageSize::Point, {}, QPageSize::ExactMatch));
        writer.setPageMargins({});
        writer.setResolution(PixelsPerInch * PdfUnitsPerPixel);
        writer.setTitle(title(file));
        writer.setCreator(QStringLiteral("Longpole " LONGPOLE_VERSION));
        QPainter painter;
        if (!painter.begin(&writer))
            return false;
        painter.scale(PdfUnitsPerPixel, PdfUnitsPerPixel);
        picture.paint(painter, VectorDetail, true);
        return painter.end();
    }

} // namespace

QString withSuffix(const QString &path, const QString &suggested, const QString &kinds,
                   const QString &chosen)
{
    const qsizetype star = chosen.indexOf(QLatin1Char('*'));
    const QString wanted = chosen.mid(star + 1, chosen.indexOf(QLatin1Char(')'), star) - star - 1);
    const QString own = QLatin1Char('.') + QFileInfo(path).suffix().toLower();
    const bool isKnown = kinds.contains(QStringLiteral("*%1)").arg(own));
    const bool isSuggested = QFileInfo(path).fileName() == suggested;
    if (star < 0 || own == wanted || (isKnown && !isSuggested))
        return path;
    return (isKnown ? path.chopped(own.size()) : path) + wanted;
}

bool isVectorFile(const QString &file)
{
    return isPdf(file) || file.endsWith(QLatin1String(".svg"), Qt::CaseInsensitive);
}

QString whyTooLarge(QSize size, double scale, const QString &file)
{
    const double factor = isVectorFile(file) ? 1 : scale;
    const double width = size.width() * factor, height = size.height() * factor;
    const double side = isPdf(file) ? LongestPdfSide : LongestSide;
    const bool isTooMany = !isVectorFile(file) && width * height > MostPixels;
    if (std::max(width, height) <= side && !isTooMany)
        return {};
    const QString remedy = isVectorFile(file)
        ? PictureText::tr("Choose fewer ranks, or fold them.")
        : PictureText::tr("Choose a smaller scale or fewer ranks, or save it as PDF or SVG.");
    return PictureText::tr("The picture would have %1 \u00d7 %2 pixels; a side may have %3, and an "
                           "image %4 million in all. %5")
        .arg(std::lround(width))
        .arg(std::lround(height))
        .arg(std::lround(side))
        .arg(std::lround(MostPixels / 1e6))
        .arg(remedy);
}

QImage drawnImage(const Picture &picture, double scale)
{
    QImage image((QSizeF(picture.size) * scale).toSize(), QImage::Format_RGB32);
    if (image.isNull())
        throw core::Error(
            PictureText::tr("There is no memory for an image of %1 \u00d7 %2 pixels. Choose a "
                            "smaller scale, or save it as PDF or SVG.")
                .arg(std::lround(picture.size.width() * scale))
                .arg(std::lround(picture.size.height() * scale))
                .toStdString());
    image.setDevicePixelRatio(scale);
    image.fill(Qt::white);
    QPainter painter(&image);
    picture.paint(painter, scale, false);
    return image;
}

void writePng(const QImage &image, const QString &file)
{
    QSaveFile out(file);
    if (!out.open(QIODevice::WriteOnly) || !image.save(&out, "PNG") || !out.commit())
        failToWrite(file);
}

void writeVectors(const Picture &picture, const QString &file)
{
    QSaveFile out(file);
    if (!out.open(QIODevice::WriteOnly))
        failToWrite(file);
    const bool isDrawn = isPdf(file) ? drawPdf(picture, file, out) : drawSvg(picture, file, out);
    if (!isDrawn || !out.commit())
        failToWrite(file);
}

void writePicture(const Picture &picture, double scale, const QString &file)
{
    if (const QString why = whyTooLarge(picture.size, scale, file); !why.isEmpty())
        throw core::Error(why.toStdString());
    if (isVectorFile(file))
        writeVectors(picture, file);
    else
        writePng(drawnImage(picture, scale), file);
}

} // namespace ui
