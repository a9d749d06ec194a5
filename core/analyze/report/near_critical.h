#pragma once

#include "core/analyze/diagnosis.h"
#include "core/base/job_control.h"
#include "core/model/trace.h"
#include "core/predict/prediction.h"

namespace core {

/// What would be critical if it took a little longer: the ops off the critical path that is shown
/// whose slack (see Slack) is below NearCriticalShare of an iteration, in each replayed iteration
/// and, by their names, in the steady state: before the end of the last iteration, from the end of
/// the first one on where there are several.
NearCriticalReport nearCriticalReport(const Trace &trace, const Prediction &replayed,
                                      const JobControl &control);

} // namespace core
