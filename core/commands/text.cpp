#include "core/commands/text.h"

#include <algorithm>

namespace core {

TextTable::TextTable(std::vector<std::string> header)
{
    m_rows.push_back(std::move(header));
}

void TextTable::addRow(std::vector<std::string> row)
{
    m_rows.push_back(std::move(row));
}

void TextTable::print(std::ostream &out) const
{
    std::vector<std::size_t> widths(m_rows.front().size(), 0);
    for (const auto &row : m_rows)
        for (std::size_t c = 0; c < row.size() && c < widths.size(); ++c)
            widths[c] = std::max(widths[c], row[c].size());
    for (const auto &row : m_rows) {
        for (std::size_t c = 0; c < row.size() && c < widths.size(); ++c) {
            const std::string padding(widths[c] - row[c].size(), ' ');
            const bool isLast = c + 1 == row.size();
            out << (c == 0 ? row[c] + (isLast ? "" : padding) : padding + row[c])
                << (isLast ? "\n" : "  ");
        }
    }
}

} // namespace core
