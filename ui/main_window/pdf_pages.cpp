#include "ui/main_window/pdf_pages.h"

#include "core/base/error.h"
#include "ui/main_window/svg_texts.h"

#include <QFileInfo>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgRenderer>

namespace ui {

namespace {

    constexpr int PointsPerInch = 288; ///< four to a point of the paper

} // namespace

PdfPages::PdfPages() = default;
PdfPages::~PdfPages() = default;

void PdfPages::begin(const QString &file)
{
    finish();
    m_file = file;
    m_device = std::make_unique<QSaveFile>(file);
    if (!m_device->open(QIODevice::WriteOnly))
        throw core::Error("cannot write " + file.toStdString());
    m_writer = std::make_unique<QPdfWriter>(m_device.get());
    m_writer->setPageSize(QPageSize(QPageSize::A4));
    m_writer->setPageMargins({});
    m_writer->setResolution(PointsPerInch);
    m_writer->setTitle(QFileInfo(file).completeBaseName());
    m_writer->setCreator(QStringLiteral("Longpole " LONGPOLE_VERSION));
    m_painter = std::make_unique<QPainter>();
    if (!m_painter->begin(m_writer.get()))
        throw core::Error("cannot write " + file.toStdString());
}

void PdfPages::finish()
{
    if (m_painter == nullptr)
        return;
    const bool isDrawn = m_painter->end();
    m_painter.reset();
    m_writer.reset();
    const bool isWritten = m_device->commit();
    m_device.reset();
    if (!isDrawn || !isWritten)
        throw core::Error("cannot write " + m_file.toStdString());
}

void PdfPages::add(const QByteArray &svg, const QString &file)
{
    const SvgWithTexts parts = withTextsApart(svg);
    QSvgRenderer picture(parts.rest);
    if (!picture.isValid())
        throw core::Error("a page of " + file.toStdString() + " is no SVG picture");
    if (m_painter != nullptr && m_file == file)
        m_writer->newPage();
    else
        begin(file);
    const QSizeF size = picture.defaultSize();
    const double scale = m_writer->width() / size.width();
    picture.render(m_painter.get(), { 0, 0, size.width() * scale, size.height() * scale });
    m_painter->save();
    m_painter->scale(scale, scale);
    drawSvgTexts(*m_painter, parts.texts);
    m_painter->restore();
}

} // namespace ui
