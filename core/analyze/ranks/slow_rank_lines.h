#pragma once

#include "core/analyze/diagnosis.h"
#include "core/analyze/iteration_words.h"
#include "core/analyze/own_work_words.h"

#include <string>
#include <vector>

namespace core {

/// Sentences on the ranks whose own work takes more than 2 % longer than the others', slowest
/// first: by how much, and where the largest difference from them is.
std::vector<std::string> slowRankLines(const StragglerReport &report, const IterationWords &words,
                                       const OwnWorkWords &workWords);

} // namespace core
