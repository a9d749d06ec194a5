#include "ui/timeline/drawing/label_cache.h"

#include <algorithm>

namespace ui {

qsizetype ownNameStart(const QString &name)
{
    const qsizetype behindCaller = name.lastIndexOf(QLatin1String(": ")) + 2; // 1 if there is none
    const qsizetype behindNamespace = name.lastIndexOf(QLatin1String("::")) + 2;
    const qsizetype start = std::max(behindCaller, behindNamespace);
    return start > 1 && start < name.size() ? start : 0;
}

void LabelCache::setFont(const QFont &font)
{
    if (font == m_font && !m_texts.isEmpty()) {
        return;
    }
    m_font = font;
    m_metrics = QFontMetricsF(font);
    m_texts.clear();
    for (std::size_t c = 0; c < m_asciiAdvances.size(); ++c) {
        m_asciiAdvances[c] = m_metrics.horizontalAdvance(QChar(static_cast<ushort>(c)));
    }
}

double LabelCache::advance(QChar c) const
{
    return c.unicode() < m_asciiAdvances.size() ? m_asciiAdvances[c.unicode()]
                                                : m_metrics.horizontalAdvance(c);
}

double LabelCache::widthOf(const QString &text) const
{
    double width = 0;
    for (const QChar c : text) {
        width += advance(c);
    }
    return width;
}

const QStaticText &LabelCache::label(const QString &text, double widthPx)
{
    constexpr qsizetype Most = 20'000;
    if (m_texts.size() > Most) {
        m_texts.clear();
    }
    const QString shown = nameInBox(text, widthPx, [this](QChar c) { return advance(c); });
    auto found = m_texts.find(shown);
    if (found == m_texts.end()) {
        QStaticText laidOut(shown);
        laidOut.setTextFormat(Qt::PlainText);
        laidOut.setPerformanceHint(QStaticText::AggressiveCaching);
        laidOut.prepare(QTransform(), m_font);
        found = m_texts.insert(shown, laidOut);
    }
    return *found;
}

} // namespace ui
