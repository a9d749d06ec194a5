#pragma once

#include "core/analyze/diagnosis.h"
#include "core/base/job_control.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"

#include <optional>
#include <vector>

namespace core {

/// By index into Diagnosis::bottlenecks; empty where no what-if predicts a gain, or nothing tells
/// its interval.
using GainIntervals = std::vector<std::optional<GainInterval>>;

/// How far the predicted differences of the typical iteration may be off (PredictionInterval), for
/// what the trace tells of links, overlap and waits, the self-replay's error, and few iterations.
/// Takes several replays for each, and so is no part of diagnose(), whose findings need not wait
/// for it. `diagnosis` is of this trace. Throws Cancelled.
GainIntervals gainIntervals(const Trace &trace, const Graph &graph, const Diagnosis &diagnosis,
                            const JobControl &control);

/// Sets Bottleneck::gainInterval of all.
void setGainIntervals(const GainIntervals &intervals, Diagnosis &diagnosis);

} // namespace core
