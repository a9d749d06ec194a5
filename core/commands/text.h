#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace core {

/// Columns padded to equal width; the first column left, the others right aligned.
class TextTable
{
public:
    explicit TextTable(std::vector<std::string> header);
    void addRow(std::vector<std::string> row);
    void print(std::ostream &out) const;

private:
    std::vector<std::vector<std::string>> m_rows;
};

/// A word of a command line for people to copy: in quotes if it has other characters than those of
/// usual file names.
std::string shellWord(const std::string &word);

} // namespace core
