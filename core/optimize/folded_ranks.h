#pragma once

#include "core/base/job_control.h"
#include "core/graph/graph.h"

#include <cstdint>
#include <vector>

namespace core {

/// Ranks by WorkerId: the one that stands for it, else itself. Ranks are alike where their devices
/// have as many ops and take as long, within 1 % of an iteration, and their gradients are the same;
/// the one that takes longest stands for the others (dPRO's symmetry of workers: Hu et al., MLSys
/// 2022, section 5.3). Empty where there are fewer than eight ranks, or not all take part in all
/// collectives: nothing is gained, or each may wait for others.
std::vector<WorkerId> alikeRanks(const Graph &graph);

/// The graph with the ops of those that stand for others alone: a collective begins when these have
/// come, and costs what it does among all ranks. Throws Cancelled.
Graph foldedGraph(const Graph &graph, const std::vector<WorkerId> &standIns,
                  const JobControl &control);

/// The graph with the first so many iterations alone. Throws Cancelled.
Graph firstIterations(const Graph &graph, std::int32_t count, const JobControl &control);

} // namespace core
