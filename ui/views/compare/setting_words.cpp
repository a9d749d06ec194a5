#include "ui/views/compare/setting_words.h"

#include "core/change/change_list.h"
#include "ui/views/compare/change_words.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

    struct SettingWords
    {
        Q_DECLARE_TR_FUNCTIONS(SettingWords)
    };

    constexpr double MbitPerGigabyte = 8000;

    QString suffixOf(const core::ChangeTraits &traits)
    {
        const std::string_view suffix = traits.slider.suffix;
        return QString::fromUtf8(suffix.data(), qsizetype(suffix.size()));
    }

    bool isRate(const core::ChangeTraits &traits)
    {
        return traits.unit == "Mbit/s";
    }

    QString numberText(const core::ChangeTraits &traits, double value)
    {
        constexpr int Digits = 4;
        const ShownUnit unit = shownUnit(traits, value);
        return QString::number(value / unit.unit, 'g', unit.unit == 1 ? 10 : Digits) + unit.suffix;
    }

    QString wordText(const core::ChangeTraits &traits, const std::string &value)
    {
        const std::string word = value.substr(0, value.find(':'));
        const auto found = std::find_if(traits.words.begin(), traits.words.end(),
                                        [&](const auto &one) { return one.word == word; });
        if (found == traits.words.end())
            return QString::fromStdString(value);
        return word == value
            ? translated(found->title)
            : SettingWords::tr("%1 (%2)").arg(
                translated(found->title), QString::fromStdString(value.substr(word.size() + 1)));
    }

    QString wordsOf(const core::Change &change)
    {
        const auto traits = core::traitsOf(change.key);
        if (!traits)
            return QString::fromStdString(change.name() + "=" + change.valueText());
        const QString title = translated(traits->title);
        const auto number = change.number();
        if (traits->form == core::ChangeForm::Switch)
            return number == 0.0 ? SettingWords::tr("%1 off").arg(title) : title;
        const QString value
            = number ? numberText(*traits, *number) : wordText(*traits, change.valueText());
        const QString whole = SettingWords::tr("%1 %2").arg(title, value);
        if (change.ranks.empty())
            return whole;
        return (change.ranks.size() == 1 ? SettingWords::tr("%1 of rank %2")
                                         : SettingWords::tr("%1 of ranks %2"))
            .arg(whole, QString::fromStdString(core::changedRanksText(change.ranks)));
    }

} // namespace

ShownUnit shownUnit(const core::ChangeTraits &traits, double value)
{
    const core::ChangeSlider &slider = traits.slider;
    if (isRate(traits) && value >= MbitPerGigabyte)
        return { MbitPerGigabyte, QStringLiteral(" GB/s"), 2 };
    const double shown = value / slider.unit;
    const int more = !traits.isWhole && shown > 0 && shown < slider.least * 10 ? 2 : 0;
    return { slider.unit, suffixOf(traits), slider.decimals + more };
}

QString recordedText(const core::ChangeTraits &traits, double value)
{
    if (!isRate(traits) || value < MbitPerGigabyte)
        return QString::number(value / traits.slider.unit, 'g', 10) + suffixOf(traits);
    QString text = SettingWords::tr("%1 (%2 Mbit/s)")
                       .arg(numberText(traits, value), QString::number(std::llround(value)));
    return text.replace(QStringLiteral("/s"), QStringLiteral("\u2060/\u2060s")); // in one line
}

QString settingWords(const core::Strategy &strategy)
{
    QStringList words;
    for (const core::Change &change : strategy.changes)
        words << wordsOf(change);
    return words.join(QStringLiteral(", "));
}

} // namespace ui
