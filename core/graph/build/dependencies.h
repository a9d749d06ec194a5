#pragma once

#include "core/base/job_control.h"
#include "core/graph/build/graph_context.h"

namespace core {

/// Where no recorded dependency explains why an op began so late, finds the op of the same worker
/// whose end does, and adds an edge: host thread after another host thread or a CPU backend's
/// collective, stream after another stream. After all other edges.
void inferWaits(GraphContext &context, const JobControl &control);

/// Takes out inferred edges that close a cycle: what one rank seems to wait for, another
/// contradicts.
void dropContradictions(GraphContext &context);

/// What remains between an op's last predecessor and its measured start becomes its delay; ops
/// without a predecessor are tied to what the worker's main thread had done by then.
void setDelays(GraphContext &context);

} // namespace core
