#pragma once

#include "core/change/change_list.h"
#include "core/predict/prediction.h"

#include <iosfwd>
#include <string>

namespace core {

/// Over which iterations and ranks the mean iteration is: "mean of 3 iterations, 2 ranks"; "1 of 2
/// ranks" where only one has any activity in its iterations.
std::string meanText(const Prediction &result);

/// How well the replayed schedule fills its devices: in all, and the busiest ones of any rank.
/// `obstacles` are changeObstacles() of the trace: settings that they name are not advised.
void printScheduling(const Prediction &result, const ChangeObstacles &obstacles, std::ostream &out);

/// An explanation of scheduling efficiency, for the help.
const char *schedulingHelp();

/// A line that says why no links are told, nor Daydream's model, which needs their transfers, too;
/// empty where links are. `obstacles` as above.
std::string noLinksText(const Prediction &result, const ChangeObstacles &obstacles);

/// "Trust: fair. Only 2 iterations recorded on every rank": the level with the reason for it.
std::string trustText(const Prediction &result);

/// All reasons for the trust level, and the self-replay's error.
void printReasons(const Prediction &result, std::ostream &out);

/// Says which of the replay's first iterations are left out; empty if none is.
std::string warmUpText(const Prediction &result);

} // namespace core
