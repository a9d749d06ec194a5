#pragma once

#include "core/analyze/diagnosis.h"
#include "core/analyze/iteration_words.h"
#include "core/change/change_list.h"

#include <string>
#include <vector>

namespace core {

// Texts of a diagnosis that command line and window have in common.

/// "Rank 1 makes the others wait, which costs 18 % of an iteration".
std::string costText(const Bottleneck &found, const IterationWords &words);

/// Whether there is no reason, or `remarks` of the verdict tell it.
bool isReasonTold(const Bottleneck &found, const std::vector<std::string> &remarks);

/// "95 % interval 2.000 ms to 5.000 ms", "may be nothing: 95 % interval ...", "interval not known:
/// ..."; empty before it was looked for, and of a measured gain.
std::string gainIntervalText(const Bottleneck &found);

/// "longpole replay PROJECT --set comm_scale=0"; empty if no what-if removes the cause.
std::string tryCommand(const Bottleneck &found, const std::string &project = "PROJECT");

/// Whether a search of buckets can shorten what the bottleneck costs.
bool leadsToSearch(const Bottleneck &found, const ChangeObstacles &obstacles);

/// The verdict and its remarks, one sentence behind the other.
std::string verdictText(const Diagnosis &diagnosis);

} // namespace core
