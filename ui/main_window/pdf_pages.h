#pragma once

#include <QString>

#include <memory>

class QPainter;
class QPdfWriter;
class QSaveFile;
class QSvgRenderer;

namespace ui {

/// SVG pictures that are written as pages of A4 of one PDF, one after the other. The file takes the
/// place of an older one when the next one begins, or with finish().
class PdfPages
{
public:
    PdfPages();
    ~PdfPages();
    PdfPages(const PdfPages &) = delete;
    PdfPages &operator=(const PdfPages &) = delete;

    /// Another file than the last one's begins anew. Throws core::Error where it cannot be written.
    void add(QSvgRenderer &picture, const QString &file);
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
