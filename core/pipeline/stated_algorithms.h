#pragma once

#include "core/base/job_control.h"
#include "core/model/trace.h"
#include "core/pipeline/merged_collectives.h"
#include "core/project/read/project_reader.h"

namespace core {

/// Sets CollectiveCall::algorithm of the trace's collectives from NCCL's own records of them, which
/// the project has as arguments of slices. `trace` is of the reader's project, `merged` what was
/// merged in it. Throws Cancelled.
void addStatedAlgorithms(const ProjectReader &reader, Trace &trace, const MergedCollectives &merged,
                         const JobControl &control);

} // namespace core
