#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace core {

/// Whatever the locale: an ASCII letter in lower case, anything else as it is.
constexpr char lowered(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

inline void makeLower(std::string &text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](char c) { return lowered(c); });
}

inline std::string lowered(std::string_view text)
{
    std::string result(text);
    makeLower(result);
    return result;
}

/// Without the spaces at both ends.
constexpr std::string_view trimmed(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(' ');
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

} // namespace core
