#pragma once

#include "core/base/job_control.h"
#include "core/graph/build/graph_context.h"

namespace core {

/// Finds PyTorch DDP's reduction in every iteration of each worker: the ops at whose end a
/// parameter's gradient is ready, the ops that copy gradients out of the buckets, and which bucket
/// each belongs to; adds the reducer's waits (bucket's transfer -> first copy out of that bucket)
/// and fills Graph::gradientSteps. Sizes are the trace's (bytes of the copy-out or AccumulateGrad
/// slices).
///
/// On accelerators an all-reduce is DDP's if it was launched from within a gradient's slice. The
/// reducer's hook makes the communication stream wait for what had been launched until then (an
/// event that it records), and before the copies the compute stream for the all-reduce; the host
/// waits for neither (torch/csrc/distributed/c10d/reducer.cpp, ProcessGroupNCCL.cpp). These waits
/// become edges, too.
///
/// Where one rank's trace is all there is, its backend's calls have no partners: then the waits are
/// added, without a gradient step.
///
/// An iteration whose counts, sizes or times do not fit the recorded all-reduces is named in the
/// notes and left without a gradient step.
void addGradientSteps(GraphContext &context, const JobControl &control);

} // namespace core
