#include "ui/views/ops/shape_words.h"

#include <algorithm>

namespace ui {

namespace {

    constexpr QChar Ellipsis(0x2026);

    bool isInNumber(QChar character)
    {
        return character.isDigit();
    }

    /// Characters that all begin with, up to a whole dimension.
    qsizetype sharedBegin(const QString &least, const QString &most)
    {
        const qsizetype end = std::min(least.size(), most.size());
        qsizetype shared = 0;
        while (shared < end && least[shared] == most[shared])
            ++shared;
        while (shared > 0 && isInNumber(least[shared - 1]))
            --shared;
        return shared;
    }

    QStringList reversed(QStringList texts)
    {
        for (QString &text : texts)
            std::reverse(text.begin(), text.end());
        return texts;
    }

    qsizetype sharedBegin(const QStringList &texts)
    {
        const auto [least, most] = std::minmax_element(texts.begin(), texts.end());
        return sharedBegin(*least, *most);
    }

    QString withoutEnds(const QString &text, qsizetype begin, qsizetype end)
    {
        constexpr qsizetype Worthwhile = 2; // more than the mark that stands for it
        const qsizetype room = text.size() - begin;
        const qsizetype cut = std::clamp<qsizetype>(end, 0, std::max<qsizetype>(0, room - 1));
        const qsizetype first = begin < Worthwhile ? 0 : begin;
        const qsizetype last = cut < Worthwhile ? 0 : cut;
        QString middle = text.mid(first, text.size() - first - last);
        if (first > 0)
            middle.prepend(Ellipsis);
        if (last > 0)
            middle.append(Ellipsis);
        return middle;
    }

} // namespace

QStringList differingShapes(const QStringList &shapes, qsizetype whole)
{
    const bool areShort = std::all_of(shapes.begin(), shapes.end(), [whole](const QString &text) {
        return text.size() <= whole;
    });
    if (areShort || QStringList(shapes).removeDuplicates() == shapes.size() - 1)
        return shapes;
    const qsizetype begin = sharedBegin(shapes), end = sharedBegin(reversed(shapes));
    QStringList texts;
    texts.reserve(shapes.size());
    for (const QString &text : shapes)
        texts << (text.size() <= whole ? text : withoutEnds(text, begin, end));
    return texts;
}

} // namespace ui
