#pragma once

#include "core/align/clock_evidence.h"
#include "core/model/trace.h"

namespace core {

/// Sets how well the clocks of `report` fit what the ranks recorded: residualNs of each worker and
/// violationsAfter.
void judgeClocks(const ClockEvidence &evidence, AlignmentReport &report);

} // namespace core
