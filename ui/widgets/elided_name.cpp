#include "ui/widgets/elided_name.h"

#include <QFontMetrics>

#include <algorithm>

namespace ui {

QString sharedStart(const QStringList &names)
{
    if (names.size() < 2)
        return {};
    const auto [least, most] = std::minmax_element(names.begin(), names.end());
    const qsizetype end = std::min(least->size(), most->size());
    qsizetype shared = 0;
    while (shared < end && (*least)[shared] == (*most)[shared])
        ++shared;
    while (shared > 0 && (*least)[shared - 1].isLetterOrNumber())
        --shared;
    return least->left(shared);
}

QString elidedName(const QString &name, const QString &sharedStart, const QFontMetrics &metrics,
                   int width)
{
    if (metrics.horizontalAdvance(name) <= width)
        return name;
    constexpr qsizetype Worthwhile = 2; // more than the mark that stands for it
    if (sharedStart.size() < Worthwhile || !name.startsWith(sharedStart))
        return metrics.elidedText(name, Qt::ElideMiddle, width);
    return metrics.elidedText(QChar(0x2026) + name.mid(sharedStart.size()), Qt::ElideRight, width);
}

} // namespace ui
