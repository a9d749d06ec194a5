#pragma once

#include "core/analyze/diagnosis.h"
#include "core/graph/graph.h"
#include "core/measure/own_work.h"
#include "core/model/trace.h"

#include <string>
#include <vector>

namespace core {

/// The longest gaps between operations of the threads that do a rank's own work: what
/// `host_overhead_scale` changes, without the ops themselves. Gaps between the same two operations
/// are one, of the rank where they take longest; longest first. `delays` are delayParts() of
/// `graph`.
std::vector<HostGap> hostGaps(const Trace &trace, const Graph &graph,
                              const std::vector<DelayParts> &delays);

/// "rank 1 between forward and backward 50.88 ms (93 % of its time between operations; rank
/// 0: 90.00 us)"; `others` names the other ranks, see othersOf().
std::string hostGapText(const HostGap &gap, const std::string &others);

/// "between forward and backward".
std::string hostGapPlace(const HostGap &gap);

} // namespace core
