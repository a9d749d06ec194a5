#pragma once

#include "core/graph/graph.h"

#include <cstdint>
#include <string>
#include <vector>

namespace core {

/// The graph with the time of every transfer times `factor`. 0: an upper bound of what better
/// communication gains.
Graph withScaledTransfers(Graph graph, double factor);

/// The graph with the host's own time times `factor`: on a worker with accelerators all its host
/// ops and their delays; in CPU training only the interpreter's time between ops of one thread. 0
/// is what CUDA graphs approach: an upper bound of what they gain.
Graph withHostOverhead(Graph graph, double factor);

/// The graph with the time of the ops of one phase times `factor`.
Graph withScaledPhase(Graph graph, Phase phase, double factor);

/// Every rank as fast as the median rank: each op of a family (same name, phase and kind of device)
/// is scaled so that the family takes as long on its rank as on the median one, and then all of a
/// rank's work so that its sum is the median rank's. Communication stays. Where nothing but
/// communication is recorded of all ranks, their work is the time until they hand it over.
/// The median is that of the ranks with work of their own; parameter servers have none.
Graph withIdealPeers(Graph graph);

/// How many ranks have work of their own that withIdealPeers() can compare.
std::size_t ranksWithOwnWork(const Graph &graph);

/// What a rank works itself on one name: as withIdealPeers() compares it.
struct OwnWork
{
    NameId name;
    std::vector<std::int64_t> ns; ///< by WorkerId, over the whole graph
};

/// By name.
std::vector<OwnWork> ownWorkByName(const Graph &graph);

/// Of values by WorkerId, the median over the workers with work of their own.
std::int64_t medianOfRanks(const std::vector<std::int64_t> &valueNs,
                           const std::vector<std::int64_t> &workNs);

/// Durations and delays of each worker's own work together, over the whole graph, by WorkerId; 0 of
/// parameter servers.
std::vector<std::int64_t> ownWorkNs(const Graph &graph);

/// How much longer each worker's own work (not communication) takes than the median worker's, over
/// the whole graph in ns; negative where it is faster.
std::vector<std::int64_t> excessWorkNs(const Graph &graph);

} // namespace core
