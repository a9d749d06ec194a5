#pragma once

#include "core/base/job_control.h"
#include "core/graph/graph.h"
#include "core/graph/graph_builder.h"

#include <cstddef>
#include <set>
#include <vector>

namespace core {

/// Does it wait for nothing but the op before it on its thread?
bool hasOnlyHostOrder(const Graph &graph, OpId op);

/// By OpId: the op behind it on its thread; NoOp where there is none. Throws Cancelled.
std::vector<OpId> nextOnThread(const Graph &graph, const JobControl &control);

/// By OpId: the host's op that launched it; NoOp where there is none. Throws Cancelled.
std::vector<OpId> launchesOf(const Graph &graph, const JobControl &control);

/// Takes the collectives of these indices out of the builder, with their ops. Where each of the
/// others went, by its index before; 0 of these.
std::vector<std::size_t> removeCollectives(const std::set<std::size_t> &dropped,
                                           GraphBuilder &builder);

/// The graph with the time of every transfer times `factor`. 0: an upper bound of what better
/// communication gains.
Graph withScaledTransfers(Graph graph, double factor);

/// The graph with the host's own time times `factor`: on a worker with accelerators all its host
/// ops and their delays; in CPU training only the interpreter's time between ops of one thread. 0
/// is what CUDA graphs approach: an upper bound of what they gain. So does, below 1, the time from
/// a launch to its kernel where the stream was waiting for that launch. Loading the input stays: it
/// is no launching, and has a setting of its own. `measured`: the same ops at the times of which
/// `graph` is a change.
Graph withHostOverhead(Graph graph, double factor, const Graph &measured);

/// The graph with the time of the ops of one phase times `factor`, and with that of their threads
/// before them.
Graph withScaledPhase(Graph graph, Phase phase, double factor);

} // namespace core
