#pragma once

#include "tests/accuracy/cases.h"

#include <filesystem>
#include <string>
#include <vector>

namespace accuracy {

/// One line of the summary.
struct Group
{
    std::string what; ///< as in the page's table
    std::vector<Case> cases;
    bool isWhatIf = false; ///< has an interval and a naive prediction worth showing
    // What it has to meet, as fractions; else the program's exit code is 1.
    double largestMedian = 0, largestWorst = 0, smallestCoverage = 0;
};

void printCases(const Group &group);

/// Prints the group's figures and whether it meets its limits.
bool printSummary(const Group &group);

/// Replaces what stands between the page's two marks by the table of all groups; false, with a
/// message, if it has no such marks.
bool writeReadme(const std::filesystem::path &readme, const std::vector<Group> &groups);

} // namespace accuracy
