#include "ui/theme/icons.h"

#include "ui/theme/resources.h"

#include <QFile>
#include <QPainter>
#include <QPalette>
#include <QSvgRenderer>

namespace ui {

namespace {

    QPixmap render(const QByteArray &svg, int size, qreal ratio)
    {
        QSvgRenderer renderer(svg);
        QPixmap pixmap(QSize(size, size) * ratio);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        renderer.render(&painter);
        painter.end();
        pixmap.setDevicePixelRatio(ratio);
        return pixmap;
    }

    QByteArray svgOf(const QString &name, const QColor &color)
    {
        loadResources();
        QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
        const bool isFound = file.open(QIODevice::ReadOnly);
        Q_ASSERT_X(isFound, "icon", qPrintable(name));
        return isFound ? file.readAll().replace("currentColor", color.name().toLatin1())
                       : QByteArray();
    }

} // namespace

QIcon themedIcon(const QString &name, const QPalette &palette)
{
    QIcon result;
    const auto add = [&](QIcon::Mode mode, const QColor &color) {
        const QByteArray svg = svgOf(name, color);
        for (const int size : { 16, 24 }) {
            for (const qreal ratio : { 1.0, 2.0 })
                result.addPixmap(render(svg, size, ratio), mode);
        }
    };
    add(QIcon::Normal, palette.color(QPalette::WindowText));
    add(QIcon::Selected, palette.color(QPalette::WindowText)); // else the style tints it
    add(QIcon::Disabled, palette.color(QPalette::Disabled, QPalette::WindowText));
    return result;
}

QIcon applicationIcon()
{
    QIcon result;
    const QByteArray svg = svgOf(QStringLiteral("longpole"), Qt::black);
    for (const int size : { 16, 24, 32, 48, 64, 128, 256 })
        result.addPixmap(render(svg, size, 1.0));
    return result;
}

} // namespace ui
