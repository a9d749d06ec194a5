#include "ui/main_window/image_export.h"

#include "ui/theme/theme.h"

#include <QPainter>
#include <QWidget>

namespace ui {

namespace {
    constexpr int scale = 2;
    constexpr int captionHeight = 24;
}

QPixmap renderImage(QWidget &widget, const QString &caption)
{
    const Theme &theme = themeOf(widget.palette());
    const int extra = caption.isEmpty() ? 0 : captionHeight;
    QPixmap image(QSize(widget.width(), widget.height() + extra) * scale);
    image.setDevicePixelRatio(scale);
    image.fill(theme.background);
    widget.render(&image);
    if (extra > 0) {
        QPainter painter(&image);
        painter.setFont(uiFont(TextSize::Small));
        painter.setPen(theme.secondaryText);
        const QRect line(space::large, widget.height(), widget.width() - 2 * space::large, extra);
        painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, caption);
    }
    return image;
}

} // namespace ui
