#include "core/bundle/shown_name.h"

#include <QString>

#include <algorithm>

namespace core {

std::string shownName(std::string_view name)
{
    std::string text
        = QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())).toStdString();
    std::replace_if(
        text.begin(), text.end(),
        [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '_');
    return text;
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
