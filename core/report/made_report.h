#pragma once

#include "core/base/job_control.h"
#include "core/model/trace.h"
#include "core/report/report.h"

#include <string>
#include <vector>

namespace core {

/// Pages of a report on a diagnosed job, with the timeline of its typical iteration, and of the
/// what-if's below it. Of many ranks those that others wait for most are drawn. `whatIf` is null
/// where there is none. Throws Cancelled.
std::vector<std::string> madeReport(const Trace &trace, const Diagnosis &diagnosis,
                                    const ReportWords &words, const Prediction *whatIf,
                                    const JobControl &control);

} // namespace core
