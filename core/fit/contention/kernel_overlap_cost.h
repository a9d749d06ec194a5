#pragma once

#include "core/base/job_control.h"
#include "core/fit/contention/kernel_overlap.h"
#include "core/fit/contention/overlap_regression.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"

namespace core {

/// What transfers cost the kernels of the same accelerator that they overlap: the logarithm of how
/// many times as long a kernel takes if it overlaps them for all of its time.
struct KernelOverlapCost
{
    /// By the same kernel (rank, stream, name, place in the iteration) in several iterations.
    OverlapCost same;
    /// By kernels of one name, launched by ops of one name with as many bytes of input, at several
    /// places in the iteration. What is particular to a place errs together on all ranks.
    OverlapCost alike;
    /// By the same kernel on several ranks.
    OverlapCost acrossRanks;

    /// All three, by the inverse squares of their errors.
    OverlapCost joined() const;
};

/// Kernels that overlap other computation, or others' that wait, are neither alone nor beside a
/// transfer and do not count; nor do those that are too short to be timed. Throws Cancelled.
KernelOverlapCost costOfKernels(const Graph &measured, const Trace &trace,
                                const KernelOverlap &overlap, const JobControl &control);

} // namespace core
