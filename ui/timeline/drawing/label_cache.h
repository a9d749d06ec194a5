#pragma once

#include <QFont>
#include <QFontMetricsF>
#include <QHash>
#include <QStaticText>
#include <QString>

#include <array>

namespace ui {

/// Where the part of an op's name begins that tells it from others: behind namespaces and callers
/// ("aten::", "autograd::engine::evaluate_function: ").
qsizetype ownNameStart(const QString &name);

/// A name for a box that is `widthPx` wide: whole, else without the namespaces before it, else the
/// beginning of that; empty when not even a few characters fit. `advance` tells a character's
/// width.
template <class Advance>
QString nameInBox(const QString &name, double widthPx, Advance advance)
{
    constexpr qsizetype Fewest = 4; ///< characters that still tell something
    const auto widthOf = [&](qsizetype from) {
        double width = 0;
        for (qsizetype i = from; i < name.size(); ++i)
            width += advance(name[i]);
        return width;
    };
    if (widthOf(0) <= widthPx)
        return name;
    const qsizetype start = ownNameStart(name);
    if (widthOf(start) <= widthPx)
        return name.mid(start);
    const QChar ellipsis(0x2026);
    double room = widthPx - advance(ellipsis);
    qsizetype end = start;
    while (end < name.size() && (room -= advance(name[end])) >= 0)
        ++end;
    return end - start < Fewest ? QString() : name.mid(start, end - start) + ellipsis;
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

    /// Logical pixels, as label() measures them: without kerning.
    double widthOf(const QString &text) const;

private:
    double advance(QChar c) const;

    QFont m_font;
    QFontMetricsF m_metrics { QFont() };
    std::array<double, 128> m_asciiAdvances {};
    QHash<QString, QStaticText> m_texts; ///< by shown text
};

} // namespace ui
