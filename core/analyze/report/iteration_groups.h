#pragma once

#include "core/analyze/diagnosis.h"
#include "core/base/job_control.h"
#include "core/measure/typical_iteration.h"

#include <optional>
#include <string>
#include <vector>

namespace core {

/// The two groups that the iterations clearly fall into by how long their slowest rank takes. Empty
/// where they do not. No scale or origin matters to the first three; all have to hold:
///
/// - Two groups of two or more, cut where the sum of squares between them is largest beside that
///   within them (Engelman and Hartigan, "Percentage Points of a Test for Clusters", JASA 64,
///   1969).
/// - They are compact and well separated: the gap between them is longer than either (J. C. Dunn,
///   "Well-Separated Clusters and Optimal Fuzzy Partitions", J. Cybernetics 4, 1974).
/// - That ratio is larger than 95 % of those of as many uniformly distributed values: of the
///   distributions with one mode the one that is most easily taken for two (Hartigan and Hartigan,
///   "The Dip Test of Unimodality", Annals of Statistics 13, 1985). Engelman and Hartigan compare
///   with a normal one, which noise with a long tail passes. By simulation, always the same.
/// - The groups are further apart than an error that a replay may have (FairReplayError): else one
///   median stands for both.
///
/// Else one alone is the slower group where it takes more than twice as long as any of two or more
/// others: times have a scale of their own, and so far apart chance does not bring them.
///
/// Throws Cancelled.
std::optional<IterationGroups> iterationGroups(const std::vector<CommonIteration> &iterations,
                                               const JobControl &control);

/// "2 of 6 iterations take 1.6 times as long as the others (80.00 ms, the others 50.00 ms):
/// iterations 2 and 5. Predictions are of the median iteration."
std::string iterationGroupsText(const IterationGroups &groups);

} // namespace core
