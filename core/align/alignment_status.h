#pragma once

#include "core/align/clock_offsets.h"
#include "core/model/clocks.h"
#include "core/model/trace.h"

#include <string>

namespace core {

/// The alignment in a sentence or two: what is set by hand, what it rests on, the largest offset,
/// how sure it is, what is unknown, and which ranks' records contradict each other.
std::string alignmentStatus(const Trace &trace, const AlignmentReport &report,
                            const ClocksByHand &byHand, const ClockEvidence &evidence,
                            const std::vector<ClockContradiction> &contradictions);

} // namespace core
