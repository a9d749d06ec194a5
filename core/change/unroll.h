#pragma once

#include "core/base/job_control.h"
#include "core/graph/graph.h"

#include <cstdint>

namespace core {

/// How often the recorded iterations have to be replayed in a row so that two can be counted that
/// follow others of their kind (dPRO replays several for the same reason, §4.3): what communication
/// leaves over to the next iteration, the first one does not get. 1 where enough are recorded.
std::int32_t timesToSteadyState(const Graph &graph);

/// Whether a CPU backend's communication of a recorded iteration was still under way when that
/// ended, on some rank: then the next one's own cannot be told from it, and what ties the last
/// iteration to a next one is not recorded.
bool leavesCommunication(const Graph &recorded);

/// The graph with its iterations `times` times in a row, joined as a program goes on: a rank's next
/// one begins where its last one ends, and what a thread or stream does first in it waits for what
/// that did last. Replayed, it takes `times` times as long. `times` is 1 or more. For graphs whose
/// iterations do not leave communication to the next: what of it ties the last recorded one to the
/// first is not recorded. Throws Error as GraphBuilder::build() does; Cancelled.
Graph unrolled(const Graph &graph, std::int32_t times, const JobControl &control = {});

} // namespace core
