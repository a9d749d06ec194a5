#include "core/import/text/clean_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>

namespace core {

namespace {

    constexpr std::string_view Replacement = "\xEF\xBF\xBD"; // U+FFFD

    std::uint8_t byteAt(std::string_view text, std::size_t at)
    {
        return static_cast<std::uint8_t>(text[at]);
    }

    /// Size of the UTF-8 sequence at the front, 0 if there is no valid one (overlong forms,
    /// surrogates and what is above U+10FFFF are none).
    std::size_t utf8Size(std::string_view text)
    {
        const std::uint8_t first = byteAt(text, 0);
        if (first < 0x80)
            return 1;
        const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
        if (first < 0xc2 || first > 0xf4 || text.size() < size)
            return 0;
        for (std::size_t i = 1; i < size; ++i) {
            if ((byteAt(text, i) & 0xc0U) != 0x80)
                return 0;
        }
        const std::uint8_t second = byteAt(text, 1);
        const bool isRefused = (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f)
            || (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f);
        return isRefused ? 0 : size;
    }

    /// Moves one character from the front of `text` to the end of `out`.
    void moveCharacter(std::string_view &text, std::string &out)
    {
        const std::size_t size = utf8Size(text);
        if (size == 0)
            out += Replacement;
        else if (byteAt(text, 0) < 0x20)
            out += ' ';
        else
            out += text.substr(0, size);
        text.remove_prefix(std::max<std::size_t>(size, 1));
    }

    void appendUtf8(std::uint32_t code, std::string &out)
    {
        const auto append = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
        if (code < 0x80) {
            append(code);
        } else if (code < 0x800) {
            append(0xc0U | (code >> 6U));
            append(0x80U | (code & 0x3fU));
        } else if (code < 0x10000) {
            append(0xe0U | (code >> 12U));
            append(0x80U | ((code >> 6U) & 0x3fU));
            append(0x80U | (code & 0x3fU));
        } else {
            append(0xf0U | (code >> 18U));
            append(0x80U | ((code >> 12U) & 0x3fU));
            append(0x80U | ((code >> 6U) & 0x3fU));
            append(0x80U | (code & 0x3fU));
        }
    }

    /// The number of "\uXXXX" at the front.
    std::optional<std::uint32_t> escapedUnit(std::string_view text)
    {
        if (text.size() < 6 || text[0] != '\\' || text[1] != 'u')
            return std::nullopt;
        std::uint32_t unit = 0;
        const auto [stop, error] = std::from_chars(text.data() + 2, text.data() + 6, unit, 16);
        if (error != std::errc() || stop != text.data() + 6)
            return std::nullopt;
        return unit;
    }

    bool moveUnicodeEscape(std::string_view &text, std::string &out)
    {
        const std::optional<std::uint32_t> unit = escapedUnit(text);
        if (!unit)
            return false;
        text.remove_prefix(6);
        std::uint32_t code = *unit;
        if (code >= 0xd800 && code <= 0xdbff) {
            const std::optional<std::uint32_t> low = escapedUnit(text);
            if (low && *low >= 0xdc00 && *low <= 0xdfff) {
                code = 0x10000 + ((code - 0xd800) << 10U) + (*low - 0xdc00);
                text.remove_prefix(6);
            }
        }
        if (code >= 0xd800 && code <= 0xdfff)
            out += Replacement; // half of a pair
        else
            appendUtf8(code < 0x20 ? ' ' : code, out);
        return true;
    }

    /// Undoes the escape at the front of `text`; an unknown one stands for what follows it.
    void moveEscape(std::string_view &text, std::string &out)
    {
        if (moveUnicodeEscape(text, out))
            return;
        text.remove_prefix(1);
        if (text.empty())
            return;
        constexpr std::string_view SpaceLike = "bfnrt";
        if (SpaceLike.find(text[0]) != std::string_view::npos) {
            out += ' ';
            text.remove_prefix(1);
        } else {
            moveCharacter(text, out);
        }
    }

} // namespace

std::string cleanString(std::string_view escaped)
{
    std::string out;
    out.reserve(escaped.size());
    while (!escaped.empty()) {
        if (escaped[0] == '\\')
            moveEscape(escaped, out);
        else
            moveCharacter(escaped, out);
    }
    return out;
}

std::string_view cleanView(std::string_view escaped, std::string &buffer)
{
    const bool isClean = std::all_of(escaped.begin(), escaped.end(), [](char c) {
        return c >= 0x20 && c != '\\'; // as signed numbers the bytes from 0x80 on are negative
    });
    if (isClean)
        return escaped;
    buffer = cleanString(escaped);
    return buffer;
}

bool isUtf8(std::string_view text)
{
    while (!text.empty()) {
        const std::size_t size = utf8Size(text);
        if (size == 0)
            return false;
        text.remove_prefix(size);
    }
    return true;
}

std::string cleanText(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    while (!text.empty())
        moveCharacter(text, out);
    return out;
}

} // namespace core
