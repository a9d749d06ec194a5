#pragma once

#include "core/base/job_control.h"
#include "core/graph/graph.h"
#include "core/replay/replay.h"

#include <span>
#include <vector>

namespace core {

/// Whether communication slows some of the graph's ops; see Graph::stretchShare.
bool hasInterference(const Graph &graph);

/// Whether the device serves an op at a time, each for its duration and to its end.
bool servesOneByOne(const Device &device);

/// Whether the times of the graph follow from the order of the ops on each device: all devices
/// serve one by one, and nothing interferes.
bool canReplayInOrder(const Graph &graph);

/// All ops in the order in which they began; with replayInOrder it gives the same times again.
/// Every op comes after its predecessors.
std::vector<OpId> replayOrder(const ReplayResult &result);

/// Replays with the order of the ops on each device fixed to that of `order`, which has all ops
/// once, each after its predecessors: in one pass, at a fifth of the cost of replay(). Monotone: an
/// op that takes longer never makes another one end earlier. The graph must meet canReplayInOrder.
/// Throws Error if `order` is not such an order; Cancelled.
ReplayResult replayInOrder(const Graph &graph, std::span<const OpId> order,
                           const JobControl &control);

/// The same in the order of ids, which is topological and near that of the recording.
ReplayResult replayInOrder(const Graph &graph, const JobControl &control);

} // namespace core
