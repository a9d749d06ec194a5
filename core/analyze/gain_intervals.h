#pragma once

#include "core/analyze/diagnosis.h"
#include "core/base/job_control.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"

#include <memory>

namespace core {

/// Sets Bottleneck::gainInterval of a diagnosis of this trace, where the gain is a what-if's: how
/// far the predicted difference of the typical iteration may be off (PredictionInterval), for what
/// the trace tells of links, overlap and waits, the self-replay's error, and few iterations. Takes
/// several replays for each, and so is no part of diagnose(), whose findings need not wait for it.
/// Throws Cancelled.
void setGainIntervals(const Trace &trace, const std::shared_ptr<const Graph> &graph,
                      Diagnosis &diagnosis, const JobControl &control);

} // namespace core
