#include "core/export/graph/markup.h"

#include <array>
#include <cstddef>
#include <cstdio>
#include <string_view>

namespace core {

namespace {

    unsigned char byteAt(std::string_view text, std::size_t at)
    {
        return static_cast<unsigned char>(text[at]);
    }

    /// Bytes of the UTF-8 character that begins there; 0: none does, or one that XML does not take.
    std::size_t characterSize(std::string_view text, std::size_t at)
    {
        const unsigned char lead = byteAt(text, at);
        if (lead < 0x80U)
            return lead >= 0x20U && lead != 0x7FU ? 1 : 0;
        const std::size_t size = lead >= 0xF0U && lead < 0xF5U ? 4
            : lead >= 0xE0U && lead < 0xF0U                    ? 3
            : lead >= 0xC2U && lead < 0xE0U                    ? 2
                                                               : 0;
        if (size == 0 || at + size > text.size())
            return 0;
        for (std::size_t i = 1; i < size; ++i)
            if ((byteAt(text, at + i) & 0xC0U) != 0x80U)
                return 0;
        const bool isSurrogate = lead == 0xEDU && byteAt(text, at + 1) >= 0xA0U;
        const bool isNone
            = text.substr(at, size) == "\xEF\xBF\xBE" || text.substr(at, size) == "\xEF\xBF\xBF";
        return isSurrogate || isNone ? 0 : size;
    }

} // namespace

std::string markupText(const std::string &text)
{
    std::string safe;
    safe.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t size = characterSize(text, at);
        const char c = text[at];
        if (size == 0)
            safe += '?';
        else if (c == '&')
            safe += "&amp;";
        else if (c == '<')
            safe += "&lt;";
        else if (c == '>')
            safe += "&gt;";
        else if (c == '"')
            safe += "&quot;";
        else
            safe.append(text, at, size);
        at += size == 0 ? 1 : size;
    }
    return safe;
}

std::string pixelText(double value)
{
    std::array<char, 32> text {};
    std::snprintf(text.data(), text.size(), "%.1f", value);
    std::string shown = text.data();
    if (shown.ends_with(".0"))
        shown.resize(shown.size() - 2);
    return shown;
}

std::string hexColor(std::uint32_t color)
{
    constexpr std::uint32_t White = 0xFFFFFF;
    std::array<char, 8> text {};
    std::snprintf(text.data(), text.size(), "#%06X", color & White);
    return text.data();
}

} // namespace core
