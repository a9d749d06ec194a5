#pragma once

#include "core/base/job_control.h"
#include "core/model/trace.h"

namespace core {

/// Finds calls that launch kernels, graphs, copies and fills of which the device recorded nothing
/// (a profiler drops what lies outside its window, or what a graph runs). Iterations that lack more
/// than a hundredth of their launches' work leave Trace::compared, if some do not; what is missing
/// from those that stay is told in Trace::faults. Throws Cancelled.
void findUnrecordedWork(Trace &trace, const JobControl &control);

} // namespace core
