#pragma once

#include "core/align/align.h"
#include "core/graph/graph_context.h"

#include <unordered_set>
#include <vector>

namespace core {

/// The matched collectives that lie inside every worker's recorded iterations, as the slices of
/// their parts.
std::unordered_set<std::uint64_t> slicesOf(const GraphContext &context,
                                           std::vector<MatchedCollective> &matched);

/// Adds, for every matched collective, one ready op a rank, the virtual arrival of the last rank,
/// and the transfer on the link. A CPU backend's transfers share one link with as many slots as it
/// has communication threads; a device stream's are served one at a time. Measured durations of
/// transfers that shared the link are divided by how many did. Communication slices without a
/// partner become ops of their own, as measured.
void addCollectives(GraphContext &context, const std::vector<MatchedCollective> &matched);

} // namespace core
