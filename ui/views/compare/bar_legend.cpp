#include "ui/views/compare/bar_legend.h"

#include "ui/theme/measures.h"
#include "ui/theme/theme.h"
#include "ui/timeline/swatch.h"

#include <QPainter>

#include <algorithm>
#include <utility>
#include <vector>

namespace ui {
namespace {

    constexpr int SwatchWidth = 16, SwatchHeight = 10;
    constexpr int LineHeight = 20, Above = 4; ///< Above, and below, all lines

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
                 { BarLegend::tr("compute of an unknown phase"), Role::Unknown },
                 { BarLegend::tr("copies"), Role::Memory },
                 { BarLegend::tr("input"), Role::Input },
                 { BarLegend::tr("host"), Role::Host } };
    }

    struct PlacedEntry
    {
        Entry entry;
        int x = 0, line = 0, textWidth = 0;
    };

    /// From left to right, and on the next line where the width is used up.
    std::vector<PlacedEntry> placedEntries(int width)
    {
        const QFontMetrics metrics(uiFont(TextSize::Small));
        std::vector<PlacedEntry> placed;
        int x = space::large, line = 0;
        for (Entry &entry : entries()) {
            const int textWidth = metrics.horizontalAdvance(entry.text);
            const int entryWidth = SwatchWidth + space::small + textWidth;
            if (x > space::large && x + entryWidth + space::large > width) {
                x = space::large;
                ++line;
            }
            placed.push_back({ std::move(entry), x, line, textWidth });
            x += entryWidth + space::medium;
        }
        return placed;
    }

} // namespace

BarLegend::BarLegend(QWidget *parent)
    : QWidget(parent)
{
    QSizePolicy policy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    QStringList texts;
    for (const Entry &entry : entries())
        texts << entry.text;
    setAccessibleName(tr("Legend: %1").arg(texts.join(QStringLiteral("; "))));
}

QSize BarLegend::sizeHint() const
{
    constexpr int Usual = 600;
    return { Usual, heightForWidth(std::max(Usual, width())) };
}

int BarLegend::heightForWidth(int width) const
{
    return (placedEntries(width).back().line + 1) * LineHeight + 2 * Above;
}

void BarLegend::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const Theme &theme = themeOf(palette());
    painter.fillRect(rect(), theme.panel);
    painter.fillRect(QRect(0, 0, width(), 1), theme.line);
    painter.setFont(uiFont(TextSize::Small));
    for (const PlacedEntry &placed : placedEntries(width())) {
        const int y = Above + placed.line * LineHeight;
        paintSwatch(painter,
                    QRect(placed.x, y + (LineHeight - SwatchHeight) / 2, SwatchWidth, SwatchHeight),
                    placed.entry.role, placed.entry.isHatched, theme);
        painter.setPen(theme.secondaryText);
        painter.drawText(
            QRect(placed.x + SwatchWidth + space::small, y, placed.textWidth + 1, LineHeight),
            Qt::AlignLeft | Qt::AlignVCenter, placed.entry.text);
    }
}

} // namespace ui
