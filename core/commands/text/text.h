#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace core {

/// Columns padded to equal width; the first column left, the others right aligned. Each row is one
/// line, whatever its cells hold.
class TextTable
{
public:
    explicit TextTable(std::vector<std::string> header);
    void addRow(std::vector<std::string> row);
    void print(std::ostream &out) const;
    /// Prints the rows so far and forgets them; later ones are at least as wide.
    void printSoFar(std::ostream &out);

private:
    using Row = std::vector<std::string>;
    void widen(std::vector<std::size_t> &widths) const;
    void printRows(const std::vector<std::size_t> &widths, std::ostream &out) const;

    std::vector<Row> m_rows;
    std::vector<std::size_t> m_widths; ///< of the rows that were printed
    std::size_t m_columns;
};

/// A word of a command line for people to copy: in quotes if it has other characters than those of
/// usual file names.
std::string shellWord(const std::string &word);

} // namespace core
