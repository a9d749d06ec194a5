#pragma once

#include "core/analyze/diagnosis.h"
#include "core/base/job_control.h"
#include "core/measure/own_work.h"
#include "core/model/trace.h"
#include "core/predict/prediction_base.h"

#include <vector>

namespace core {

/// How much slower each rank is than the others, by kind of work and type of op, and what
/// `ideal_peers` would gain, as `longpole replay --set ideal_peers=1` predicts it. `base` is of the
/// trace's graph, `delays` are delayParts() of it.
StragglerReport stragglerReport(const Trace &trace, Predictor &predictor,
                                const std::vector<DelayParts> &delays, const JobControl &control);

} // namespace core
