#pragma once

#include "core/base/job_control.h"
#include "core/graph/graph_context.h"

namespace core {

/// Finds PyTorch DDP's reduction in every iteration of each worker: the ops at whose end a
/// parameter's gradient is ready, the ops that copy gradients out of the buckets, and which bucket
/// each belongs to; adds the reducer's waits (bucket's transfer -> first copy out of that bucket)
/// and fills Graph::gradientSteps. Sizes are the trace's (bytes of the copy-out or AccumulateGrad
/// slices). An iteration whose counts or sizes do not fit the recorded all-reduces is named in the
/// notes and left without a gradient step.
void addGradientSteps(GraphContext &context, const JobControl &control);

} // namespace core
