#include "core/bundle/shown_name.h"

#include <QString>

#include <algorithm>

namespace core {

std::string shownName(std::string_view name)
{
    QString text = QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
    const auto steers = [](QChar c) {
        return c.category() == QChar::Other_Control || c.category() == QChar::Other_Format;
    };
    std::replace_if(text.begin(), text.end(), steers, QChar(u'_'));
    return text.toStdString();
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
