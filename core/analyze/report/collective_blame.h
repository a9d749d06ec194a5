#pragma once

#include "core/analyze/diagnosis.h"
#include "core/graph/graph.h"

#include <vector>

namespace core {

/// Finds what let the last rank of each collective come when it did (CollectiveReport::blame): of
/// the ops that it waited for before it handed its part over, the one that as measured ended last;
/// or why that is not known.
void blameLastRanks(const Graph &graph, std::vector<CollectiveReport> &collectives);

} // namespace core
