#pragma once

#include "core/graph/build/exchanges.h"
#include "core/graph/build/graph_context.h"
#include "core/graph/framework/tensor_ops.h"

#include <vector>

namespace core {

/// Adds an op for each call of a CPU backend inside the recorded iterations: the ready op of a part
/// of an exchange (its transfer is added by addExchanges()), else communication as measured. A
/// call follows the op that handed it over, where that is recorded; else the host op that ended
/// last before its data was complete, or, where that is unknown, before it began.
void addBackendCalls(GraphContext &context, const std::vector<Exchange> &exchanges,
                     const Producers &producers);

} // namespace core
