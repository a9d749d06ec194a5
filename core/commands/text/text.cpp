#include "core/commands/text/text.h"

#include "core/base/printable_text.h"

#include <algorithm>
#include <string_view>

namespace core {

namespace {

    /// Characters, not bytes of UTF-8.
    std::size_t shownWidth(const std::string &text)
    {
        return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
            return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
        }));
    }

} // namespace

TextTable::TextTable(std::vector<std::string> header)
    : m_columns(header.size())
{
    addRow(std::move(header));
}

void TextTable::addRow(std::vector<std::string> row)
{
    for (std::string &cell : row)
        cell = oneLine(cell);
    m_rows.push_back(std::move(row));
}

void TextTable::print(std::ostream &out) const
{
    std::vector<std::size_t> widths = m_widths;
    widen(widths);
    printRows(widths, out);
}

void TextTable::printSoFar(std::ostream &out)
{
    widen(m_widths);
    printRows(m_widths, out);
    m_rows.clear();
}

void TextTable::widen(std::vector<std::size_t> &widths) const
{
    widths.resize(m_columns, 0);
    for (const Row &row : m_rows)
        for (std::size_t c = 0; c < row.size() && c < widths.size(); ++c)
            widths[c] = std::max(widths[c], shownWidth(row[c]));
}

void TextTable::printRows(const std::vector<std::size_t> &widths, std::ostream &out) const
{
    for (const Row &row : m_rows) {
        for (std::size_t c = 0; c < row.size() && c < widths.size(); ++c) {
            const std::string padding(widths[c] - shownWidth(row[c]), ' ');
            const bool isLast = c + 1 == row.size();
            out << (c == 0 ? row[c] + (isLast ? "" : padding) : padding + row[c])
                << (isLast ? "\n" : "  ");
        }
    }
}

std::string shellWord(const std::string &word)
{
    const auto isPlain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
            || std::string_view("/._-+=:,@%").find(c) != std::string_view::npos;
    };
    if (!word.empty() && std::all_of(word.begin(), word.end(), isPlain))
        return word;
    std::string quoted = "'";
    for (const char c : word)
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

} // namespace core
