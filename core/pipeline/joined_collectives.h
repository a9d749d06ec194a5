#pragma once

#include "core/base/job_control.h"
#include "core/model/trace.h"

namespace core {

/// Gives the collectives of a rank's Kineto trace what they lack and the rank's execution trace
/// tells (TracedCollectivesKey): kind, payload and number of ranks, and the group where all
/// collectives of all ranks lack it and are told. The two are joined by the place of the host op
/// record_param_comms that launched the kernel (NodePlaces). Of several kernels of one op the first
/// has its payload. Throws Cancelled.
void joinTracedCollectives(Trace &trace, const JobControl &control);

} // namespace core
