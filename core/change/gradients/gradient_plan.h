#pragma once

#include "core/graph/graph.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace core {

/// One all-reduce of a group.
struct GradientPiece
{
    std::uint64_t bytes = 0;
    std::int32_t priority = 0;

    bool operator==(const GradientPiece &) const = default;
};

/// Consecutive tensors of one iteration whose gradients are reduced together. A GradientStep
/// numbers them by readiness; recordedGradients() numbers those that a program sent in partitions.
struct GradientGroup
{
    std::size_t firstTensor = 0, tensorCount = 0;
    /// Largest number of bytes that one all-reduce carries. 0: one all-reduce carries the group.
    std::uint64_t partitionBytes = 0;
    std::int32_t priority = 0; ///< lower is sent first; see GradientPlan::isByPriority
    /// Delay of each all-reduce, from when all ranks are ready and the group before is over where
    /// this one waits for it.
    std::int64_t delayNs = 0;
    bool isAfterGroupBefore = false; ///< one at a time, as through one buffer
    /// All-reduces of sizes and priorities of their own, which add up to the group. Empty: as
    /// partitionBytes and priority say.
    std::vector<GradientPiece> pieces = {};
    /// Each all-reduce in its two halves: a reduce-scatter, and an all-gather when all groups of
    /// the iteration have been scattered.
    bool isInHalves = false;
    std::int32_t gatherPriority = 0; ///< of the second half

    bool operator==(const GradientGroup &) const = default;
};

/// How a job's gradients are reduced: which travel together, cut how, in which order, and when.
struct GradientPlan
{
    /// By iteration: groups in the order of handing over, which hold every tensor once.
    std::map<std::int32_t, std::vector<GradientGroup>> iterations;
    bool isByPriority = false; ///< links serve the lowest priority first; else as they become ready
    std::uint64_t creditBytes = 0; ///< of each link; see Device::creditBytes
    /// True: a layer of the next iteration waits for the updates of its own tensors. False: layers
    /// wait for what they waited for in the recording.
    bool waitsForOwnTensors = false;

    bool operator==(const GradientPlan &) const = default;
};

/// Bytes of the all-reduce that comes next where `leftBytes` of the group are left.
inline std::uint64_t nextPieceBytes(const GradientGroup &group, std::uint64_t leftBytes)
{
    return group.partitionBytes == 0 ? leftBytes : std::min(leftBytes, group.partitionBytes);
}

/// The all-reduce that is the group's `piece`-th, where `leftBytes` of the group are left.
GradientPiece pieceOf(const GradientGroup &group, std::size_t piece, std::uint64_t leftBytes);

/// The buckets of a recorded step.
std::vector<GradientGroup> measuredGroups(const GradientStep &step);

/// The plan by which a program sent its gradients in partitions: one group a gradient, cut by its
/// largest partition, as urgent as recorded. The recording does not show a credit.
GradientPlan measuredPartitionPlan(const Graph &graph);

} // namespace core
