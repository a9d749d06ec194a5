#pragma once

#include "core/base/job_control.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"

namespace core {

/// Builds the global data-flow graph of all ranks over the recorded iterations (dPRO §4.1).
/// Dependencies come from host program order, launch -> kernel by correlation, stream order,
/// recorded and blocking synchronisation, collectives matched across ranks, and, where none of
/// these explains why an op began so late, from the op whose end does. What cannot be matched is
/// named in Graph::notes. Throws Error if the trace has no iteration or no op.
Graph buildGraph(const Trace &trace, const JobControl &control);

/// False where nothing told iterations apart, so that the whole recording stands for one.
bool areIterationsKnown(const Graph &graph);

} // namespace core
