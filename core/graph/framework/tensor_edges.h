#pragma once

#include "core/graph/build/exchanges.h"
#include "core/graph/build/graph_context.h"
#include "core/graph/framework/tensor_ops.h"

#include <vector>

namespace core {

/// Adds what is known of tensors that a program sends one by one (parameter servers, slices in an
/// order of its own): an op about a tensor waits for all that carried it since the op before
/// (a server's update for the gradients of every worker); a call that waits for a tensor waits for
/// the op about it, and one that waits for something else for the communication that ended last
/// before it returned. What such a call waited for is taken out of its duration.
void addTensorEdges(GraphContext &context, const std::vector<Exchange> &exchanges,
                    const TensorOps &tensorOps);

} // namespace core
