#include "core/base/printable_text.h"

#include <algorithm>
#include <sstream>

namespace core {

namespace {

    constexpr std::string_view HexDigits = "0123456789abcdef";
    constexpr unsigned char HighLead = 0xc2; ///< first byte of U+0080 to U+00BF in UTF-8

    bool isHighControl(unsigned char byte)
    {
        return byte >= 0x80 && byte < 0xa0;
    }

    std::string escaped(std::string_view before, unsigned char byte)
    {
        return std::string(before) + HexDigits[byte >> 4U] + HexDigits[byte & 15U];
    }

    void appendControl(std::string &out, unsigned char byte)
    {
        if (byte == '\n')
            out += "\\n";
        else if (byte == '\r')
            out += "\\r";
        else if (byte == '\t')
            out += "\\t";
        else
            out += escaped(byte == 0x7f ? "\\u00" : "\\x", byte); // JSON has no \x
    }

    /// Bytes that follow the first one of a character.
    int followingOf(unsigned char byte)
    {
        if (byte >= 0xf0)
            return 3;
        if (byte >= 0xe0)
            return 2;
        return byte >= 0xc0 ? 1 : 0;
    }

    bool isPlain(char c)
    {
        return (c >= ' ' && c < 0x7f) || c == '\n' || c == '\t';
    }

    bool isFormula(std::string_view text)
    {
        constexpr std::string_view Beginnings = "=+-@\t\r";
        return !text.empty() && Beginnings.find(text.front()) != std::string_view::npos;
    }

} // namespace

std::string printable(std::string_view text)
{
    std::stringbuf target(std::ios::out);
    PrintableBuffer buffer(target);
    buffer.sputn(text.data(), static_cast<std::streamsize>(text.size()));
    buffer.pubsync();
    return target.str();
}

std::string oneLine(std::string_view text)
{
    std::string line;
    for (const char c : text)
        if (c == '\n' || c == '\t')
            appendControl(line, static_cast<unsigned char>(c));
        else
            line += c;
    return printable(line);
}

PrintableBuffer::int_type PrintableBuffer::overflow(int_type c)
{
    if (traits_type::eq_int_type(c, traits_type::eof()))
        return traits_type::not_eof(c);
    const char byte = traits_type::to_char_type(c);
    return xsputn(&byte, 1) == 1 ? c : traits_type::eof();
}

std::streamsize PrintableBuffer::xsputn(const char *text, std::streamsize size)
{
    const std::string_view all(text, static_cast<std::size_t>(size));
    if (m_following == 0 && !m_isHigh && std::all_of(all.begin(), all.end(), isPlain))
        return put(all) ? size : 0;
    m_printable.clear();
    for (const char c : all) {
        const auto byte = static_cast<unsigned char>(c);
        if (m_isHigh && isHighControl(byte)) {
            m_printable += escaped("\\u00", byte);
            m_isHigh = false;
            continue;
        }
        if (m_isHigh)
            m_printable += static_cast<char>(HighLead);
        const bool isFollowing = (byte & 0xc0U) == 0x80U && (m_following > 0 || m_isHigh);
        m_following = isFollowing && !m_isHigh ? m_following - 1 : 0;
        m_isHigh = false;
        if (isFollowing || (byte < 0x80 && isPlain(c)))
            m_printable += c;
        else if (byte == HighLead)
            m_isHigh = true;
        else if (byte < ' ' || byte == 0x7f)
            appendControl(m_printable, byte);
        else if (isHighControl(byte)) // no UTF-8: a terminal may take it for Latin-1
            m_printable += escaped("\\x", byte);
        else {
            m_printable += c;
            m_following = followingOf(byte);
        }
    }
    return put(m_printable) ? size : 0;
}

int PrintableBuffer::sync()
{
    if (m_isHigh) {
        m_isHigh = false;
        if (!put(std::string_view("\xc2")))
            return -1;
    }
    return m_target.pubsync();
}

bool PrintableBuffer::put(std::string_view text)
{
    const auto size = static_cast<std::streamsize>(text.size());
    return m_target.sputn(text.data(), size) == size;
}

std::string csvField(std::string_view text, bool isNumber)
{
    std::string shown(!isNumber && isFormula(text) ? "'" : "");
    shown += text;
    if (shown.find_first_of(",\"\r\n") == std::string::npos)
        return shown;
    std::string quoted = "\"";
    for (const char c : shown)
        quoted.append(c == '"' ? 2 : 1, c);
    return quoted + '"';
}

} // namespace core
