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

} // namespace core
