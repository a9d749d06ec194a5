#pragma once

#include "core/graph/graph.h"

#include <cstddef>

namespace core {

/// Whether an op computes where its worker does: on a stream if the worker is accelerated (has
/// streams), else on a thread.
bool isOwnCompute(const Graph &graph, std::size_t op, bool isAccelerated);

/// Whether an op computes for a layer: not for the optimizer, nor to add up or copy gradients.
/// `isAccelerated`: its worker has streams. Then its host's work is launching: kernels compute.
bool isLayerCompute(const Graph &graph, std::size_t op, bool isAccelerated);

} // namespace core
