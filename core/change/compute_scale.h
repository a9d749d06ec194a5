#pragma once

#include "core/change/settings.h"
#include "core/fit/layers/batch_growth.h"
#include "core/fit/layers/memory_shares.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"

#include <memory>

namespace core {

/// What of a rank's work another speed of its processor changes. Of an accelerator all of its
/// kernels, or those of the layers alone: what the optimizer does, and what adds up and copies
/// gradients, is bound by memory, which need not change with the rest. Of a host, whose memory is
/// not the core's, the other way round: that of the layers without what they set and copy, or all
/// that its threads compute.
enum class ComputeReading {
    Likely, ///< as named first
    Other
};

/// How compute_scale and batch_scale change work.
struct ComputeModel
{
    BatchModel batch;
    std::shared_ptr<const MemoryShares> memory; ///< of hosts; null: none
    ComputeReading reading = ComputeReading::Likely;
};

/// The graph with its compute scaled by compute_scale (a rank's own factor goes before the one of
/// all), as ComputeReading says, and that of the layers (forward and backward pass) by batch_scale,
/// of that only what grows with the batch; batch_scale also scales input ops. On a worker with
/// accelerators that is the compute of its kernels, on any other that of its threads. Left as they
/// are: launching, and the interpreter between ops. A rank without layers (a parameter server)
/// stays as it is. Throws Error for a setting of its own of such a rank or of one that is not in
/// the trace, and where no rank shows compute.
Graph scaleCompute(Graph graph, const Trace &trace, const ScenarioSettings &settings,
                   const ComputeModel &model);

bool scalesCompute(const ScenarioSettings &settings);

} // namespace core
