#pragma once

#include <QByteArray>
#include <QString>

#include <memory>

class QPainter;
class QPdfWriter;
class QSaveFile;

namespace ui {

/// SVG pictures that are written as pages of A4 of one PDF, one after the other; their text can be
/// searched and copied. The file takes the
/// place of an older one when the next one begins, or with finish().
class PdfPages
{
public:
    PdfPages();
    ~PdfPages();
    PdfPages(const PdfPages &) = delete;
    PdfPages &operator=(const PdfPages &) = delete;

    /// Another file than the last one's begins anew. Throws core::Error where it cannot be written,
    /// or the picture is no SVG.
    void add(const QByteArray &svg, const QString &file);
    /// Throws core::Error where the file could not be written whole.
    void finish();

private:
    void begin(const QString &file);

    QString m_file;
    std::unique_ptr<QSaveFile> m_device; ///< outlives its writer
    std::unique_ptr<QPdfWriter> m_writer;
    std::unique_ptr<QPainter> m_painter; ///< ends before its writer
};

} // namespace ui
