#pragma once

#include "core/compare/run_comparison.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace core {

/// A time of both runs, as a line of the table of a comparison; all in ns.
struct ComparedRow
{
    std::string title; ///< "mean exposed communication"
    std::int64_t earlierNs = 0, laterNs = 0;
    std::optional<std::int64_t> noiseNs; ///< 95 %; empty: not known
    std::optional<std::int64_t> promisedNs; ///< empty: there is no promise
};

/// The median iteration of the slowest rank first, then RunComparison::parts.
std::vector<ComparedRow> comparedRows(const RunComparison &comparison);

} // namespace core
