#pragma once

#include "core/change/change.h"
#include "core/change/models.h"
#include "core/fit/layers/batch_growth.h"
#include "core/fit/layers/memory_shares.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace core {

inline constexpr std::string_view ComputeScaleKey = "compute_scale", BatchScaleKey = "batch_scale";

/// Factors on the ranks' own work; an absent field leaves it as measured.
struct ComputeChanges
{
    std::optional<double> scale; ///< on the time of compute; 2 is twice as slow
    std::map<int, double> scaleOf; ///< by rank, instead of `scale`
    std::optional<double> batch; ///< on samples of each rank and iteration
};

ComputeChanges computeChanges(const Strategy &strategy);

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
/// stays as it is. There is no computeObstacle().
Graph scaleCompute(Graph graph, const Trace &trace, const ComputeChanges &changes,
                   const ComputeModel &model);

/// Why a rank's compute or batch cannot be scaled: nothing that computes is recorded of it; empty
/// where it can.
std::optional<std::string> computeObstacle(const Graph &graph, const Trace &trace,
                                           const ComputeChanges &changes);

} // namespace core
