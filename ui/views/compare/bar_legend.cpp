#include "ui/views/compare/bar_legend.h"

#include "ui/theme/measures.h"
#include "ui/theme/theme.h"
#include "ui/timeline/swatch.h"

#include <QPainter>

#include <vector>

namespace ui {
namespace {

    constexpr int SwatchWidth = 20, SwatchHeight = 10;

    struct Entry
    {
        QString text;
        core::Role role;
        bool isHatched = false;
    };

    /// What is least obvious first.
    std::vector<Entry> entries()
    {
        using core::Role;
        return { { BarLegend::tr("communication, waiting for other ranks or the link"),
                   Role::Communication, true },
                 { BarLegend::tr("communication, transfer"), Role::Communication },
                 { BarLegend::tr("forward"), Role::Forward },
                 { BarLegend::tr("backward"), Role::Backward },
                 { BarLegend::tr("update"), Role::Optimizer },
                 { BarLegend::tr("copies"), Role::Memory },
                 { BarLegend::tr("input"), Role::Input },
                 { BarLegend::tr("host"), Role::Host } };
    }

} // namespace

BarLegend::BarLegend(QWidget *parent)
    : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    QStringList texts;
    for (const Entry &entry : entries())
        texts << entry.text;
    setAccessibleName(tr("Legend: %1").arg(texts.join(QStringLiteral("; "))));
}

QSize BarLegend::sizeHint() const
{
    return { 600, space::large + space::medium };
}

void BarLegend::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const Theme &theme = themeOf(palette());
    painter.fillRect(rect(), theme.panel);
    painter.fillRect(QRect(0, 0, width(), 1), theme.line);
    painter.setFont(uiFont(TextSize::Small));
    int x = space::large;
    for (const Entry &entry : entries()) {
        const int textWidth = painter.fontMetrics().horizontalAdvance(entry.text);
        if (x + SwatchWidth + space::small + textWidth > width())
            break;
        paintSwatch(painter, QRect(x, (height() - SwatchHeight) / 2, SwatchWidth, SwatchHeight),
                    entry.role, entry.isHatched, theme);
        x += SwatchWidth + space::small;
        painter.setPen(theme.secondaryText);
        painter.drawText(QRect(x, 0, textWidth + 1, height()), Qt::AlignLeft | Qt::AlignVCenter,
                         entry.text);
        x += textWidth + space::large;
    }
}

} // namespace ui
