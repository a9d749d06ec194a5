#pragma once

#include "core/scenario/scenario.h"

#include <string>

namespace core {

/// Why settings change nothing where the graph that is rewritten by them is the unchanged one, as a
/// sentence: of each of them what the job has already.
std::string noChangeText(const ScenarioSettings &settings);

} // namespace core
