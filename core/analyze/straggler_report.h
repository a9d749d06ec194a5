#pragma once

#include "core/analyze/diagnosis.h"
#include "core/base/job_control.h"
#include "core/model/trace.h"
#include "core/scenario/scenario_base.h"

namespace core {

/// How much slower each rank is than the median rank, by type of op, and what `ideal_peers` would
/// gain, as `longpole replay --set ideal_peers=1` predicts it. `base` is of the trace's graph.
StragglerReport stragglerReport(const Trace &trace, const ScenarioBase &base,
                                const JobControl &control);

} // namespace core
