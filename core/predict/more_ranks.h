#pragma once

#include "core/change/change.h"
#include "core/graph/graph.h"

#include <cstddef>
#include <string>

namespace core {

/// The mean of the largest of `count` (1 or more) draws from the standard normal distribution, to
/// about 5 % (Blom 1958).
double expectedLargest(double count);

/// How much longer than as many as are recorded `wanted` ranks wait in each iteration for the last
/// of them, ns; negative for fewer. Ranks are taken to come as far apart as the recorded ones do in
/// the collective of an iteration in which they are farthest apart. 0 where fewer than two ranks
/// are recorded.
double longerWaitNs(const Graph &graph, double wanted);

/// Whom the ranks of a rewritten graph stand for where another number of them is asked for, as a
/// sentence; empty where none is.
std::string standInText(const Strategy &strategy, std::size_t recordedRanks);

} // namespace core
