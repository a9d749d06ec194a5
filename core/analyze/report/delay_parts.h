#pragma once

#include "core/graph/graph.h"
#include "core/measure/own_work.h"
#include "core/model/trace.h"

#include <vector>

namespace core {

/// By OpId: how much of the delay before each op passes before the outermost recorded operation
/// around it begins, and how much inside of that, which the graph opened to get at a launch or a
/// wait; and behind which operation. `graph` is of the trace, with its measured times.
std::vector<DelayParts> delayParts(const Trace &trace, const Graph &graph);

} // namespace core
