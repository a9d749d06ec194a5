#pragma once

#include "core/scenario/scenario.h"

#include <string>

namespace core {

/// Why settings change nothing where the graph that is rewritten by them is the unchanged one, as a
/// sentence: of each of them what the job has already, or what is not known of it.
std::string noChangeText(const ScenarioSettings &settings, const Graph &graph, const Trace &trace);

} // namespace core
