#include "ui/views/timeline/legend.h"

#include "ui/theme/theme.h"
#include "ui/timeline/export/legend_entries.h"

#include <QPainter>

#include <algorithm>

namespace ui {
namespace {

    constexpr int Line = 24;
    constexpr int Margin = 12;
    constexpr int SwatchWidth = 36;

} // namespace

Legend::Legend(QWidget *parent)
    : QFrame(parent, Qt::Popup)
{
    int widest = 0;
    const QFontMetrics metrics(uiFont(TextSize::Normal));
    for (const LegendEntry &entry : legendEntries()) {
        widest = std::max(widest, metrics.horizontalAdvance(entry.text));
    }
    setFixedSize(widest + SwatchWidth + 3 * Margin,
                 static_cast<int>(legendEntries().size()) * Line + 2 * Margin);
}

void Legend::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const Theme &theme = themeOf(palette());
    painter.fillRect(rect(), theme.line);
    painter.fillRect(rect().adjusted(1, 1, -1, -1), theme.background);
    painter.setFont(uiFont(TextSize::Normal));
    int y = Margin;
    for (const LegendEntry &entry : legendEntries()) {
        const QRect swatch(Margin, y + 4, SwatchWidth, Line - 8);
        paintLegendMark(painter, swatch, entry, theme);
        painter.setPen(theme.text);
        painter.drawText(QRect(swatch.right() + Margin, y, width(), Line),
                         Qt::AlignLeft | Qt::AlignVCenter, entry.text);
        y += Line;
    }
}

} // namespace ui
