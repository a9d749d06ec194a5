#pragma once

#include "core/base/job_control.h"
#include "core/graph/graph.h"
#include "core/replay/replay.h"

namespace core {

/// Replays as dPRO's published replayer does, for comparison; replay() is what predictions rest on.
/// Not as its paper says (§4.3) but as its code does:
/// - Of the devices that have ops waiting the one whose clock is least is next, and serves the
///   first of its queue, even where that op becomes ready much later and another one of the device
///   would be ready before: a device may stand idle and serve in another order than ops arrive.
/// - A queue is ordered by what an op does (forward, backward, optimizer, all else, communication
///   last), then by when it becomes ready.
/// - Every device serves one op at a time: links have no priorities, no credit and do not share
///   their rate (what an op cannot use of it, see Graph::rateLimit, is idle); communication does
///   not slow computation.
/// Virtual ops are over when they are ready. Of devices with equal clocks the one with the smaller
/// id is next. Throws Error if the graph has a cycle, naming it; Cancelled.
ReplayResult replayInDproOrder(const Graph &graph, const JobControl &control);

} // namespace core
