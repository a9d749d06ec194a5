#pragma once

#include <string>

namespace core {

/// A text within XML: marks are escaped, characters that XML does not take become spaces.
inline std::string markupText(const std::string &text)
{
    std::string safe;
    safe.reserve(text.size());
    for (const char c : text)
        switch (c) {
        case '&':
            safe += "&amp;";
            break;
        case '<':
            safe += "&lt;";
            break;
        case '>':
            safe += "&gt;";
            break;
        case '"':
            safe += "&quot;";
            break;
        default:
            safe += static_cast<unsigned char>(c) < 0x20U ? ' ' : c;
        }
    return safe;
}

} // namespace core
