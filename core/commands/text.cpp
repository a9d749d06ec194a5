#include "core/commands/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace core {

std::string durationText(std::int64_t ns)
{
    struct Unit
    {
        double ns;
        const char *name;
    };
    constexpr std::array<Unit, 4> Units {
        { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" }, { 1, "ns" } }
    };
    const auto magnitude = std::abs(static_cast<double>(ns));
    const auto unit = std::find_if(Units.begin(), Units.end() - 1,
                                   [&](const Unit &u) { return magnitude >= u.ns; });
    std::array<char, 48> text {};
    std::snprintf(text.data(), text.size(), "%.4g %s", static_cast<double>(ns) / unit->ns,
                  unit->name);
    return text.data();
}

std::string percentText(double fraction)
{
    std::array<char, 32> text {};
    std::snprintf(text.data(), text.size(), "%.1f %%", 100 * fraction);
    return text.data();
}

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
