#pragma once

#include "core/graph/graph.h"

#include <cstdint>
#include <string>
#include <vector>

namespace core {

/// The graph with every transfer taking no time: an upper bound of what better communication gains.
Graph withFreeCommunication(Graph graph);

/// The graph with the host's own time times `factor`: on a worker with accelerators all its host
/// ops and their delays; in CPU training only the interpreter's time between ops of one thread. 0
/// is what CUDA graphs approach: an upper bound of what they gain.
Graph withHostOverhead(Graph graph, double factor);

/// The graph with ops of one phase taking no time.
Graph withFreePhase(Graph graph, Phase phase);

/// Every rank as fast as the median rank: each op of a family (same name, phase and kind of device)
/// is scaled so that the family takes as long on its rank as on the median one, and then all of a
/// rank's work so that its sum is the median rank's. Communication stays.
Graph withIdealPeers(Graph graph);

/// How much longer each worker's own work (not communication) takes than the median worker's, over
/// the whole graph in ns; negative where it is faster.
std::vector<std::int64_t> excessWorkNs(const Graph &graph);

} // namespace core
