#pragma once

#include "core/graph/build/graph_context.h"
#include "core/graph/framework/tensor_ops.h"

namespace core {

/// Serves rows of ops that each work on a tensor that came (updates by a parameter server, or of
/// gradients that are sent in slices) in the order in which the tensors come, whatever the order
/// was when they were recorded. To be called when delays are known: what an op waited for its row
/// is no delay of its own.
void followArrivals(GraphContext &context, const TensorOps &tensorOps);

} // namespace core
