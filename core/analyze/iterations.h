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

} // namespace core
