#pragma once

#include "core/base/job_control.h"
#include "core/graph/graph.h"
#include "core/model/iteration_period.h"
#include "core/model/trace.h"

#include <memory>

namespace core {

/// Finds how iterations of several kinds repeat; null where they do not. `graph` is that of the
/// trace, with an iteration for each of Trace::compared.
///
/// Two iterations are of one kind when the same operations happen as often in them on all ranks.
/// Evidence for kinds is an op of a rank, or a collective, by its name, that
///
/// - happens as often in every k-th iteration, each of the k positions seen twice or more, and
/// - takes at least 1 % of an iteration more (median) at one position than at another.
///
/// Others do not count: a stray allocation takes no time, and what a loader's thread does differs
/// without order. What only some ranks do, or the one that is recorded, could repeat by chance: at
/// most 15 % of the arrangements of its iterations may do so. The period is the least common
/// multiple of all such k that is seen twice.
///
/// Positions go by the iterations' numbers, where all ranks have the same ones. Throws Cancelled.
std::shared_ptr<const IterationPeriod> iterationPeriod(const Trace &trace, const Graph &graph,
                                                       const JobControl &control);

} // namespace core
