#pragma once

#include "core/graph/graph.h"
#include "core/model/trace.h"
#include "core/scenario/batch_growth.h"
#include "core/scenario/scenario.h"

namespace core {

/// The graph with the compute of the layers (forward and backward pass) scaled by compute_scale (a
/// rank's own factor goes before the one of all) and by batch_scale, of that only what grows with
/// the batch by `batch`; batch_scale also scales input ops. On a worker with accelerators that is
/// the compute of its kernels, on any other that of its threads. Left as they are: the optimizer's
/// updates and what adds up and copies gradients (bound by memory, and not growing with the batch),
/// launching, and the interpreter between ops. A rank without compute (a parameter server) stays as
/// it is. Throws Error for a setting of its own of such a rank or of one that is not in the trace,
/// and where no rank shows compute.
Graph scaleCompute(Graph graph, const Trace &trace, const ScenarioSettings &settings,
                   const BatchModel &batch);

/// Whether an op is work of a layer, which compute_scale and batch_scale change.
/// `isAccelerated`: its worker has streams. Then its host's work is launching: kernels compute.
bool isLayerCompute(const Graph &graph, std::size_t op, bool isAccelerated);

/// What shares of all layers' time in a graph the model takes not to grow with the batch.
struct FixedTime
{
    double likely = 0, most = 1;
};
FixedTime fixedTimeOf(const Graph &graph, const BatchModel &batch);

} // namespace core
