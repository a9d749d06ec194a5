#pragma once

#include "core/model/trace.h"

#include <vector>

namespace core {

/// The steps as the devices work on them, where the trace annotates them there (`ProfilerStep#n` as
/// a GPU annotation): the host's range, moved as little as it takes to cover the annotation, as
/// work on a device runs later than what launched it; the annotation where that lasts longer. Only
/// what the annotation of the step before covers stays that step's. Same order and size as
/// trace.iterations; a step without such an annotation keeps its host range.
std::vector<TimeRange> deviceIterationRanges(const Trace &trace);

} // namespace core
