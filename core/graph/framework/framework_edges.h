#pragma once

#include "core/base/job_control.h"
#include "core/graph/build/graph_context.h"

namespace core {

/// Adds what the framework's own graph knows (Trace::dependencies of kind Data and key Node) as
/// edges of kind Framework: the first host op of the reader begins after the last one of the
/// writer, and the first kernels that the reader launches after the last ones of the writer. A
/// writer that launches nothing (a view) hands on what it reads itself. Left out are edges within
/// one thread or stream, which their order implies, those to ops of which a later one of the same
/// lane is known, all of a worker whose execution trace calls its ops otherwise than the timeline
/// (see OpNames; told in a note), and those that the recorded times contradict, which are
/// counted in a note.
void addFrameworkEdges(GraphContext &context, const JobControl &control);

} // namespace core
