#pragma once

#include "core/base/job_control.h"
#include "core/graph/build/graph_context.h"

namespace core {

/// Adds what a framework's graph knows by the names of its ops (Trace::dependencies of key Name:
/// TensorFlow's graphs, dPRO's dag.gml, which names the synchronisation of a tensor
/// "Comm.<tensor>") as edges of kind Framework: each run of the later op begins after the last run
/// of the earlier one in the same iteration, on the same kind of lane (threads, or streams and
/// communication) where both are there. Left out are edges within one lane, which its order
/// implies, and those that the recorded times contradict, which are counted in a note.
void addNamedEdges(GraphContext &context, const JobControl &control);

} // namespace core
