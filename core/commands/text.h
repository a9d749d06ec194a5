#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace core {

/// "1.235 ms": four significant digits and a fitting unit.
std::string durationText(std::int64_t ns);
/// "12.3 %".
std::string percentText(double fraction);

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
