#pragma once

#include "core/graph/graph_context.h"

namespace core {

/// Adds a worker's host ops, thread by thread: the outermost framework ops and runtime calls that
/// hold no launch, no synchronisation and no gradient hand-over inside; what holds one is opened
/// up. Time between ops becomes their delay.
void addHostOps(GraphContext &context, WorkerId worker);

/// True for runtime calls that block the host until device work is done (cudaDeviceSynchronize,
/// hipStreamSynchronize ...).
bool isBlockingCall(std::string_view name);

} // namespace core
