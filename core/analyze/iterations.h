#pragma once

#include "core/model/trace.h"

#include <string_view>
#include <vector>

namespace core {

/// The steps of every worker, in its raw clock, sorted by (worker, start): those of
/// trace.iterations that the source states itself; else from `ProfilerStep#n` annotations on host
/// threads; where a worker has none, from the ends of a repeated
/// `Optimizer.step` annotation (n ends bound n - 1 steps); a worker without marks in a job where
/// others have them takes the first such worker's in which it recorded something, by
/// trace.alignment; else by how often each
/// tensor was reduced (Rounds); else one step over all its slices. Other iterations of `trace` are
/// ignored.
std::vector<Iteration> detectIterations(const Trace &trace);

/// Does a slice of this name mark a step for detectIterations()? Of the other slices it needs the
/// first and the last of each worker only.
bool marksIteration(std::string_view name);

/// The steps as the devices work on them, where the trace annotates them there (`ProfilerStep#n` as
/// a GPU annotation): the host's range, moved as little as it takes to cover the annotation, as
/// work on a device runs later than what launched it; the annotation where that lasts longer. Only
/// what the annotation of the step before covers stays that step's. Same order and size as
/// trace.iterations; a step without such an annotation keeps its host range.
std::vector<TimeRange> deviceIterationRanges(const Trace &trace);

} // namespace core
