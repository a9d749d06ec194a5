#pragma once

#include <QFont>
#include <QFontMetricsF>
#include <QHash>
#include <QStaticText>
#include <QString>

#include <array>

namespace ui {

/// `text` shortened in its middle so that it is at most `widthPx` wide; empty when not even a
/// few characters fit. `advance` tells a character's width.
template <class Advance>
QString elidedInMiddle(const QString &text, double widthPx, Advance advance)
{
    double total = 0;
    for (const QChar c : text) {
        total += advance(c);
    }
    if (total <= widthPx) {
        return text;
    }
    const QChar ellipsis(0x2026);
    double room = widthPx - advance(ellipsis);
    qsizetype head = 0, tail = text.size();
    while (head < tail) { // takes from both ends in turns, the head first
        const bool fromHead = head <= text.size() - tail;
        room -= advance(fromHead ? text[head] : text[tail - 1]);
        if (room < 0) {
            break;
        }
        fromHead ? ++head : --tail;
    }
    return head < 3 ? QString() : text.left(head) + ellipsis + text.mid(tail);
}

/// Labels of boxes, laid out once and kept: QStaticText draws several times faster than drawText.
class LabelCache
{
public:
    /// Forgets everything when the font differs.
    void setFont(const QFont &font);
    double height() const { return m_metrics.height(); }

    /// The label for `text` in `widthPx` logical pixels; empty text when it does not fit.
    const QStaticText &label(const QString &text, double widthPx);

private:
    double advance(QChar c) const;

    QFont m_font;
    QFontMetricsF m_metrics { QFont() };
    std::array<double, 128> m_asciiAdvances {};
    QHash<QString, QStaticText> m_texts; ///< by elided text
};

} // namespace ui
