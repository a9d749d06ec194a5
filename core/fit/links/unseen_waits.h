#pragma once

#include "core/graph/graph.h"
#include "core/model/trace.h"

namespace core {

/// Whether ranks take part that have no recording: of the job, or of a collective.
bool lacksRanks(const Trace &trace, const Graph &graph);

/// TCP hardly ever leaves more of a link unused while data is there to be sent.
inline constexpr double LeastUsedShare = 0.75;

/// The graph with the waiting for ranks that take part but have no recording told from the
/// transfers that it seems to be of. Where a CPU backend's link carried less than LeastUsedShare of
/// the rate that the bundle's metadata states, over all of its transfers, so in the periods where
/// it did the transfers take what they take at that rate, one after the other, and end when they
/// did; what is left of each before that is Graph::delayNs, in which nothing is sent. As recorded
/// where no rate is stated: whatever the transfers have in common may be waiting then.
Graph withUnseenWaits(Graph graph, const Trace &trace);

/// How long a transfer was held up for ranks without a recording, by withUnseenWaits(); 0 where all
/// that take part are recorded.
std::int64_t unseenWaitNs(const Graph &graph, const CollectiveNode &node);

/// Mean of an iteration in which any transfer was.
std::int64_t unseenWaitNs(const Graph &graph);

} // namespace core
