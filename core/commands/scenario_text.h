#pragma once

#include "core/scenario/scenario.h"

#include <iosfwd>
#include <string>

namespace core {

/// How well the replayed schedule fills its devices: in all, and the busiest ones of any rank.
void printScheduling(const ScenarioResult &result, std::ostream &out);

/// The trust level, the self-replay's error, and the reasons.
void printTrust(const ScenarioResult &result, std::ostream &out);

/// That the replay's first iterations are not counted, and why; empty where all are.
std::string warmUpText(const ScenarioResult &result);

} // namespace core
