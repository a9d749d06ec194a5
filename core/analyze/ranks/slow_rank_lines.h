#pragma once

#include "core/analyze/diagnosis.h"
#include "core/analyze/iteration_words.h"
#include "core/analyze/own_work_words.h"

#include <set>
#include <string>
#include <vector>

namespace core {

/// Sentences on the ranks whose own work takes more than 2 % longer than the others', slowest
/// first: by how much, and where the largest difference is. The place is left out for `explained`
/// ranks, whose lateness other sentences explain.
std::vector<std::string> slowRankLines(const StragglerReport &report, const IterationWords &words,
                                       const OwnWorkWords &workWords,
                                       const std::set<int> &explained);

} // namespace core
