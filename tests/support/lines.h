#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace tests {

/// Whether one of the lines has the text.
inline bool isSaid(const std::vector<std::string> &lines, const std::string &text)
{
    return std::any_of(lines.begin(), lines.end(), [&text](const std::string &line) {
        return line.find(text) != std::string::npos;
    });
}

} // namespace tests
