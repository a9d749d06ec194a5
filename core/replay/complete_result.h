#pragma once

#include "core/replay/replay.h"

#include <chrono>

namespace core {

/// Fills what follows from the ops' times, and how long the replay took that began at `begin`.
void completeResult(const Graph &graph, std::chrono::steady_clock::time_point begin,
                    ReplayResult &result);

} // namespace core
