#pragma once

#include <QString>

#include <memory>

class QPainter;
class QPdfWriter;
class QSvgRenderer;

namespace ui {

/// SVG pictures that are written as pages of A4 of one PDF, one after the other. The file is whole
/// when the next one begins, or at the end.
class PdfPages
{
public:
    PdfPages();
    ~PdfPages();
    PdfPages(const PdfPages &) = delete;
    PdfPages &operator=(const PdfPages &) = delete;

    /// Another file than the last one's begins anew. Throws core::Error where it cannot be written.
    void add(QSvgRenderer &picture, const QString &file);

private:
    void begin(const QString &file);

    QString m_file;
    std::unique_ptr<QPdfWriter> m_writer;
    std::unique_ptr<QPainter> m_painter; ///< ends before its writer
};

} // namespace ui
