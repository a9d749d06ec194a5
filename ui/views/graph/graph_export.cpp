#include "ui/views/graph/graph_export.h"

#include "core/base/error.h"
#include "core/export/graph/svg_graph.h"
#include "core/export/graph/text_graphs.h"
#include "ui/graph/graph_canvas.h"
#include "ui/graph/graph_legend.h"

#include <QCoreApplication>
#include <QFileDialog>
#include <QFileInfo>
#include <QImage>
#include <QMessageBox>
#include <QPainter>
#include <QSaveFile>

#include <algorithm>

namespace ui {

namespace {

    struct Words
    {
        Q_DECLARE_TR_FUNCTIONS(GraphExport)
    };

    constexpr double PrintRatio = 2; ///< pixels of a picture for each logical one
    constexpr int LeastWidth = 1600, MostHeight = 12'000, TitleHeight = 44;

    /// Title above, legend below, as an SVG has them.
    void writePng(GraphCanvas &canvas, const QString &title, const QString &file)
    {
        if (canvas.heightOfAll() > MostHeight)
            throw core::Error("the graph is too high for a PNG: fold ranks, or write .svg");
        const Theme &theme = themeOf(canvas.palette());
        const QSize size(std::max(LeastWidth, canvas.width()),
                         static_cast<int>(canvas.heightOfAll()) + space::small);
        const int legendHeight = GraphLegend::heightOf({ &canvas }, size.width());
        const QSize whole(size.width(), TitleHeight + size.height() + legendHeight);
        QImage image((QSizeF(whole) * PrintRatio).toSize(), QImage::Format_RGB32);
        image.setDevicePixelRatio(PrintRatio);
        image.fill(theme.background);
        QPainter painter(&image);
        painter.setRenderHint(QPainter::TextAntialiasing);
        painter.setFont(uiFont(TextSize::Large, QFont::DemiBold));
        painter.setPen(theme.text);
        painter.drawText(QRect(space::small, 0, size.width() - 2 * space::small, TitleHeight),
                         Qt::AlignVCenter | Qt::AlignLeft, title);
        painter.translate(0, TitleHeight);
        canvas.render(painter, size, theme);
        GraphLegend::paint(painter, QRect(0, size.height(), size.width(), legendHeight),
                           { &canvas }, theme);
        painter.end();
        if (!image.save(file, "PNG"))
            throw core::Error("cannot write " + file.toStdString());
    }

    void writeText(const std::string &text, const QString &file)
    {
        QSaveFile out(file);
        if (!out.open(QIODevice::WriteOnly)
            || out.write(text.data(), static_cast<qint64>(text.size()))
                != static_cast<qint64>(text.size())
            || !out.commit())
            throw core::Error("cannot write " + file.toStdString() + ": "
                              + out.errorString().toStdString());
    }

} // namespace

void writeGraph(GraphCanvas &canvas, const QString &title, const QString &file)
{
    const core::Drawing &drawing = *canvas.drawing();
    const QString suffix = QFileInfo(file).suffix().toLower();
    if (suffix == QLatin1String("png"))
        writePng(canvas, title, file);
    else if (suffix == QLatin1String("svg"))
        writeText(core::svgText(drawing, title.toStdString(),
                                { static_cast<double>(std::max(LeastWidth, canvas.width())),
                                  themeOf(canvas.palette()).isDark, canvas.difference() }),
                  file);
    else if (suffix == QLatin1String("dot"))
        writeText(core::dotText(drawing), file);
    else if (suffix == QLatin1String("graphml"))
        writeText(core::graphmlText(drawing), file);
    else
        throw core::Error(file.toStdString()
                          + ": the name's end tells the format: .png, .svg, .dot or .graphml");
}

void exportGraph(GraphCanvas &canvas, const QString &title, QWidget *parent)
{
    if (canvas.drawing() == nullptr)
        return;
    const QString file = QFileDialog::getSaveFileName(
        parent, Words::tr("Export the graph"), QStringLiteral("graph.svg"),
        Words::tr("Pictures and graphs (*.svg *.png *.dot *.graphml)"));
    if (file.isEmpty())
        return;
    try {
        writeGraph(canvas, title, file);
    } catch (const core::Error &error) {
        QMessageBox::warning(parent, Words::tr("Export the graph"),
                             QString::fromUtf8(error.what()));
    }
}

} // namespace ui
