#pragma once

#include "core/change/change.h"
#include "core/model/trace.h"

#include <optional>
#include <string>

namespace core {

/// Why a change of single ranks cannot be made: the project has no such rank; empty where it has
/// all. It names the ranks that there are.
std::optional<std::string> rankObstacle(const Trace &trace, const Change &change);

/// The worker of a rank that has no rankObstacle().
const Worker &workerOfRank(const Trace &trace, int rank);

} // namespace core
