#pragma once

#include "core/scenario/scenario.h"

#include <iosfwd>

namespace core {

/// How well the replayed schedule fills its devices: in all, and the busiest ones of any rank.
void printScheduling(const ScenarioResult &result, std::ostream &out);

/// The trust level, the self-replay's error, and the reasons.
void printTrust(const ScenarioResult &result, std::ostream &out);

} // namespace core
