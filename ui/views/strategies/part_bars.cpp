#include "ui/views/strategies/part_bars.h"

#include "ui/theme/theme.h"
#include "ui/widgets/format.h"

#include <QPainter>

#include <algorithm>
#include <cstdlib>

namespace ui {

namespace {

    constexpr int PartRowHeight = 24, PartBarHeight = 12, PartNameWidth = 220, PartValueWidth = 90;

} // namespace

PartBars::PartBars(QWidget *parent)
    : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("What each part contributes"));
    hide();
}

void PartBars::setParts(const std::vector<core::StrategyPart> &parts, std::int64_t predictedNs)
{
    m_bars.clear();
    for (const core::StrategyPart &part : parts)
        if (part.withoutNs)
            m_bars.push_back({ QString::fromStdString(part.names), *part.withoutNs - predictedNs });
    std::stable_sort(m_bars.begin(), m_bars.end(),
                     [](const Bar &a, const Bar &b) { return a.savedNs > b.savedNs; });
    QStringList lines;
    for (const Bar &bar : m_bars)
        lines << tr("%1: %2 without it").arg(bar.name, formatDelta(bar.savedNs));
    setAccessibleDescription(lines.join(u'\n'));
    setToolTip(toolTipParagraphs(
        tr("How much longer the iteration is without each part. Parts that work together do not "
           "add up.")));
    setVisible(m_bars.size() > 1);
    updateGeometry();
    update();
}

QSize PartBars::sizeHint() const
{
    return { 400, PartRowHeight * static_cast<int>(m_bars.size() + 1) };
}

void PartBars::paintEvent(QPaintEvent *)
{
    const Theme &theme = themeOf(palette());
    QPainter painter(this);
    painter.setFont(uiFont(TextSize::Small));
    painter.setPen(theme.secondaryText);
    painter.drawText(QRect(0, 0, width(), PartRowHeight), Qt::AlignVCenter,
                     tr("What each part contributes: how much longer the iteration is without it"));
    painter.setFont(uiFont(TextSize::Normal));
    std::int64_t longest = 1;
    for (const Bar &bar : m_bars)
        longest = std::max(longest, std::abs(bar.savedNs));
    const int room = std::max(1, std::min(width(), 900) - PartNameWidth - PartValueWidth);
    for (std::size_t i = 0; i < m_bars.size(); ++i) {
        const Bar &bar = m_bars[i];
        const int top = PartRowHeight * static_cast<int>(i + 1);
        painter.setPen(theme.text);
        painter.drawText(
            QRect(0, top, PartNameWidth - space::medium, PartRowHeight), Qt::AlignVCenter,
            fontMetrics().elidedText(bar.name, Qt::ElideRight, PartNameWidth - space::medium));
        const int length = std::max(1,
                                    static_cast<int>(static_cast<double>(std::abs(bar.savedNs))
                                                     / static_cast<double>(longest) * room));
        painter.fillRect(
            QRect(PartNameWidth, top + (PartRowHeight - PartBarHeight) / 2, length, PartBarHeight),
            bar.savedNs >= 0 ? theme.better : theme.worse);
        painter.drawText(
            QRect(PartNameWidth + length + space::small, top, PartValueWidth, PartRowHeight),
            Qt::AlignVCenter, formatDelta(bar.savedNs));
    }
}

} // namespace ui
