#pragma once

#include "core/graph/build/graph_context.h"

namespace core {

/// Notes how much device work of ranks whose host is recorded no recorded call launches: what-ifs
/// of the host do not move it. Of ranks where that is less than a hundredth of its time nothing is
/// noted: a recording mostly begins with a few operations that were launched before.
void noteUnlaunchedOps(GraphContext &context);

} // namespace core
