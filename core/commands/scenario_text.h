#pragma once

#include "core/change/change_list.h"
#include "core/predict/prediction.h"

#include <iosfwd>
#include <string>

namespace core {

/// What the mean iteration is of: "mean of 3 iterations, 2 ranks"; "1 of 2 ranks" where only one
/// has any activity in its iterations.
std::string meanText(const Prediction &result);

/// How well the replayed schedule fills its devices: in all, and the busiest ones of any rank.
/// `obstacles` are changeObstacles() of the trace: what they name is not advised.
void printScheduling(const Prediction &result, const ChangeObstacles &obstacles, std::ostream &out);

/// What scheduling efficiency is, for the help.
const char *schedulingHelp();

/// A line that says why no links are told, nor Daydream's model, which needs their transfers, too;
/// empty where links are. `obstacles` as above.
std::string noLinksText(const Prediction &result, const ChangeObstacles &obstacles);

/// The trust level, the self-replay's error, and the reasons.
void printTrust(const Prediction &result, std::ostream &out);

/// That the replay's first iterations are left out, and why; empty where none is.
std::string warmUpText(const Prediction &result);

} // namespace core
