#pragma once

#include <string_view>

namespace core {

constexpr std::string_view ByteOrderMark = "\xEF\xBB\xBF";

/// The first character of a text that is neither white space nor of a byte order mark; 0 if there
/// is none.
inline char firstCharacter(std::string_view text)
{
    const std::size_t at = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
    return at == std::string_view::npos ? '\0' : text[at];
}

} // namespace core
