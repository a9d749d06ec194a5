#include "core/bundle/shown_name.h"

#include <QString>

#include <algorithm>

namespace core {

std::string shownName(std::string_view name)
{
    std::u32string text
        = QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())).toStdU32String();
    const auto steers = [](char32_t c) {
        const QChar::Category category = QChar::category(c);
        return category == QChar::Other_Control || category == QChar::Other_Format
            || category == QChar::Separator_Line || category == QChar::Separator_Paragraph;
    };
    std::replace_if(text.begin(), text.end(), steers, U'_');
    return QString::fromStdU32String(text).toStdString();
}

std::string NamesTaken::unique(const std::string &name)
{
    if (m_counts.try_emplace(name, 1).second)
        return name;
    std::size_t &count = m_counts[name]; // no insertion moves it
    for (;;) {
        std::string other = name + " (" + std::to_string(++count) + ")";
        if (m_counts.try_emplace(other, 1).second)
            return other;
    }
}

} // namespace core
