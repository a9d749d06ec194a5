#pragma once

#include "core/base/job_control.h"
#include "core/change/fusion/fusion_times.h"
#include "core/fit/layers/fusible_ops.h"
#include "core/graph/graph.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace core {

/// Ops of the layers that a compiler joins, and what it saves.
struct OpFusion
{
    /// How many tensors' gradients each compiled part of the backward pass computes, in the order
    /// in which they become ready: all are ready at the part's end.
    std::vector<std::size_t> counts;
    FusionTimes times; ///< measured ones go before the model
    /// Part of its time that an op saves which only passes over memory, behind another such; see
    /// FusedReadShare.
    double readShare = FusedReadShare;
};

/// The graph with the ops of each part of the backward pass as one op, which ends before any of its
/// gradients is handed over, and in the forward pass runs of ops that only pass over memory as one
/// each, which no tensor's first use is within (dPRO: Hu et al., MLSys 2022, section 5). The joined
/// op takes what its ops took with the times between them, less what OpFusion saves. It is launched
/// once: with its first op.
///
/// Ops are joined where that makes no circle: each waits for the one before on its device and for
/// nothing else but its launch, and its thread waits for no device since the launch before. Where
/// that does not hold, another part begins. O(ops + edges). Throws Cancelled.
Graph withFusedOps(const Graph &before, const OpFusion &fusion, const JobControl &control);

/// Joins the parts of a graph in which each tensor's part is one already (withFusedOps() with a
/// part a tensor), for any counts. `savedNs`: of savedByJoining(), for all steps. Ids stay;
/// launches that joining saves keep their time. O(ops + edges).
void joinParts(const std::vector<std::size_t> &counts,
               const std::vector<std::optional<std::int64_t>> &savedNs, Graph &graph);

/// Time that each tensor's part saves where it is joined with that before, ns; empty where joining
/// would make a circle, and of the first. [tensors] of the step.
std::vector<std::optional<std::int64_t>> savedByJoining(const Graph &graph,
                                                        const GradientStep &step,
                                                        const OpFusion &fusion,
                                                        const JobControl &control);

} // namespace core
