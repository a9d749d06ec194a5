#include "ui/timeline/swatch.h"

#include "ui/timeline/drawing/pixel_canvas.h"

#include <QPainter>

namespace ui {

void paintSwatch(QPainter &painter, const QRect &box, core::Role role, bool isHatched,
                 const Theme &theme)
{
    constexpr double HatchGround = 0.16; // of the colour, as the timeline's own
    constexpr int Period = 6;
    const QColor colour = theme.role(role);
    if (!isHatched) {
        painter.fillRect(box, colour);
        return;
    }
    painter.save();
    painter.translate(box.topLeft());
    painter.setRenderHint(QPainter::Antialiasing, false);
    PixelCanvas(painter, box.size())
        .hatch(0, 0, box.width(), box.height(), colour.rgb(),
               blend(theme.background, colour, HatchGround).rgb(), Period);
    painter.restore();
}

} // namespace ui
