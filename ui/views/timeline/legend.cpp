#include "ui/views/timeline/legend.h"

#include "ui/theme/theme.h"
#include "ui/timeline/swatch.h"

#include <QPainter>

#include <vector>

namespace ui {
namespace {

    constexpr int Line = 24;
    constexpr int Margin = 12;
    constexpr int SwatchWidth = 36;

    enum class Mark { Fill, Hatch, CriticalPath };

    struct Entry
    {
        QString text;
        core::Role role = core::Role::Host;
        Mark mark = Mark::Fill;
    };

} // namespace

static std::vector<Entry> entries()
{
    using core::Role;
    return { { Legend::tr("forward compute"), Role::Forward },
             { Legend::tr("backward compute"), Role::Backward },
             { Legend::tr("optimizer update"), Role::Optimizer },
             { Legend::tr("compute of an unknown phase"), Role::Unknown },
             { Legend::tr("communication, transfer"), Role::Communication },
             { Legend::tr("communication, waiting for other ranks"), Role::Communication,
               Mark::Hatch },
             { Legend::tr("copies, memory"), Role::Memory },
             { Legend::tr("host, launch"), Role::Host },
             { Legend::tr("data input"), Role::Input },
             { Legend::tr("annotations of the framework"), Role::Annotation },
             { Legend::tr("critical path"), Role::Host, Mark::CriticalPath } };
}

Legend::Legend(QWidget *parent)
    : QFrame(parent, Qt::Popup)
{
    int widest = 0;
    const QFontMetrics metrics(uiFont(TextSize::Normal));
    for (const Entry &entry : entries()) {
        widest = std::max(widest, metrics.horizontalAdvance(entry.text));
    }
    setFixedSize(widest + SwatchWidth + 3 * Margin,
                 static_cast<int>(entries().size()) * Line + 2 * Margin);
}

void Legend::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const Theme &theme = themeOf(palette());
    painter.fillRect(rect(), theme.line);
    painter.fillRect(rect().adjusted(1, 1, -1, -1), theme.background);
    painter.setFont(uiFont(TextSize::Normal));
    int y = Margin;
    for (const Entry &entry : entries()) {
        const QRect swatch(Margin, y + 4, SwatchWidth, Line - 8);
        if (entry.mark != Mark::CriticalPath) {
            paintSwatch(painter, swatch, entry.role, entry.mark == Mark::Hatch, theme);
        } else {
            const int middle = swatch.center().y();
            painter.fillRect(swatch.x(), middle - 2, swatch.width(), 4, theme.criticalPathCasing);
            painter.fillRect(swatch.x(), middle - 1, swatch.width(), 2, theme.criticalPath);
        }
        painter.setPen(theme.text);
        painter.drawText(QRect(swatch.right() + Margin, y, width(), Line),
                         Qt::AlignLeft | Qt::AlignVCenter, entry.text);
        y += Line;
    }
}

} // namespace ui
