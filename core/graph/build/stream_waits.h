#pragma once

#include "core/base/job_control.h"
#include "core/graph/build/graph_context.h"

namespace core {

/// What collectives on accelerators wait for, and what waits for them, where the trace does not
/// record which stream waits for which event (no cuda_sync events), by PyTorch's rules
/// (torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp): before a collective is launched on a stream
/// of its own, that is made to wait for an event recorded on the current stream (syncStreams), so
/// for all that was launched on that before; Work::wait makes the current stream wait for the
/// collective. The current stream is taken to be the one that the thread launched on last.
///
/// Where calls are recorded (cudaEventRecord, cudaStreamWaitEvent), they tell at which launches a
/// stream waits, but for what; where none is, only the first of the two rules is used. All edges
/// are Inferred. No edge contradicts the recorded times, and where those of a kind
/// of collective (one kernel name on one stream) do so again and again, its waits are others, and
/// not known: it gets no edge, but the latest waits that the times allow are possible
/// (Graph::possibleWaits). So are those for collectives where no call is recorded, but for DDP's
/// buckets, and but where the framework's own graph is there to tell.
///
/// Call after the recorded waits and DDP's are added.
void addStreamWaits(GraphContext &context, const JobControl &control);

/// The graph in which what may wait does wait, as far as its order of ops allows; it replays as
/// long.
Graph withPossibleWaits(const Graph &graph);

} // namespace core
