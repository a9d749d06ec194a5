#pragma once

#include "core/base/job_control.h"
#include "core/graph/build/graph_context.h"

namespace core {

/// Where nothing of a worker's host is recorded (BytePS, Horovod, ByteScheduler, dPRO), only the
/// framework's own graph can tell what a communication call waited for. Without it, a call is taken
/// to begin after the op of the worker that ended last before it; the time between, its delay, is
/// work that the trace does not show. So is a call of the host's where nothing else of a worker is
/// recorded than calls of a library and its kernels that communicate (NCCL's Inspector).
void addCommunicationOrder(GraphContext &context, const JobControl &control);

/// An op and when all that it began is done: of a part of a collective, the whole collective.
struct DoneOp
{
    std::int64_t doneNs;
    OpId op;
};

/// The worker's device ops and communication, and its host ops if `withThreads`, by when they are
/// done.
std::vector<DoneOp> doneOps(const GraphContext &context, WorkerId worker, bool withThreads);

} // namespace core
