#pragma once

#include "core/base/job_control.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"

namespace core {

/// The trace's graph with all that is known of the job: buildGraph() with unseen waits told from
/// transfers (withUnseenWaits()) and NCCL's choices (withNcclChoices()). Throws as buildGraph().
Graph measuredGraph(const Trace &trace, const JobControl &control);

} // namespace core
