#pragma once

#include "core/change/gradients/partition_changes.h"
#include "core/change/transfers/link_changes.h"
#include "core/change/transfers/transfer_obstacles.h"
#include "core/fit/links/link_models.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"

#include <optional>
#include <string>
#include <vector>

namespace core {

/// The graph with every collective's transfer as the changes want it. A measured transfer of n
/// ranks is taken to be what NCCL states, else a ring: s steps of alpha, and bytes (see
/// transferShape()). alpha becomes that of `latencyUs` (what a partition waits for its peers
/// changes by as much), the bytes' time is divided by the ratio of rates (of buckets that were
/// under way at once after it is shared by their bytes), and steps and bytes become those of
/// `worldSize` ranks, of the algorithm and of `payloadScale`. A ring is as fast as its slowest
/// link; a rank whose rate is stated nowhere has the measured one. Transfers within a host, where
/// they are told apart, keep rate and latency. With another number of ranks, the measured ranks
/// stand for all (see standInText()). There is no obstacle; throws Error where what NCCL would take
/// instead is not known. `partitions`: as gradients are sent.
Graph rewriteTransfers(const Graph &graph, const Trace &trace, const LinkModels &links,
                       const LinkChanges &changes, const PartitionChanges &partitions = {});

} // namespace core
