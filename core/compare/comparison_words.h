#pragma once

#include "core/compare/run_comparison.h"

#include <string>
#include <vector>

namespace core {

/// The answer in one sentence: "Kept: 552.1 ms instead of 662.3 ms, promised 549.8 ms (540.0 ms to
/// 560.1 ms)." Promised is RunComparison::promisedIteration(). An inconclusive comparison gives the
/// reason that weighs most, and what to do.
std::string comparisonHeadline(const RunComparison &comparison);

/// Why a comparison is inconclusive, as a sentence.
std::string doubtText(const RunComparison &comparison, Doubt doubt);

/// Sentences behind the answer: further reasons, whether the strategy was used as far as the
/// recording shows it, and what else tells the runs apart.
std::vector<std::string> comparisonNotes(const RunComparison &comparison);

} // namespace core
