#pragma once

#include "core/graph/graph.h"

#include <vector>

namespace core {

/// [collectives]: whether it is known to reduce gradients, as a bucket of DDP, by its tensor's name
/// (Horovod, BytePS), or as a what-if sends them (Graph::isPredicted()). Messages do not.
std::vector<bool> gradientCollectives(const Graph &graph);

/// Some collective is known to.
bool reducesGradients(const Graph &graph);

/// Whether gradients are told apart, but no size of any is recorded or given.
bool lacksGradientSizes(const Graph &graph);

} // namespace core
