#pragma once

#include "core/analyze/diagnosis.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"
#include "core/predict/prediction.h"

#include <cstddef>
#include <vector>

namespace core {

/// Attributes the iteration of `replayed.criticalPath`, end to end, to the ops on its critical
/// path and to the gaps between them. A gap is an op's delay: the host's own time before a
/// host op (idle where no host work is recorded; "input" between ops that load it), waking up after
/// communication ("wait"), launch latency on a stream ("launch", as the calls that hand work to
/// it), else "idle". The parts add up to the iteration's replayed
/// duration. Neighbours of equal name, device and kind are merged. The other iterations'
/// paths are added up without their ops.
CriticalPathReport criticalPathReport(const Trace &trace, const Prediction &replayed,
                                      const JobControl &control);

/// The same of the `iteration`-th replayed iteration alone, from 0; `iterations` and `mean` stay
/// empty. `ops` has every ns of the path: a gap is an entry named "before <op>", of a wait for
/// a transfer's end "after <transfer>", with the slice of the op after it. A transfer without a
/// slice of its own has that of the rank that came last.
CriticalPathReport iterationPathReport(const Trace &trace, const Prediction &replayed,
                                       std::size_t iteration);

} // namespace core
