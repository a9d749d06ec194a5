#pragma once

#include "core/base/job_control.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"

#include <string>

namespace core {

/// The graph with CollectiveNode::chosenAlgorithm of NCCL's collectives among three ranks or more
/// that state none, and Graph::nccl. What the rule needs of the system is taken from the trace: the
/// accelerators from Kineto's deviceProperties or Nsight's GPUs, NCCL's version from Kineto's
/// distributedInfo, the network's rate from the transfers themselves (median over their bytes, as a
/// ring's); Graph::nccl says what was assumed. Nothing is chosen for what is not NCCL's: CPU
/// backends, and AMD's accelerators, as RCCL's rule is another one; of those Graph::nccl says so.
/// Throws Cancelled.
Graph withNcclChoices(Graph graph, const Trace &trace, const JobControl &control = {});

/// What a collective is to become that NCCL chooses for again.
struct NcclChange
{
    double payloadBytes;
    double ranks;
    double networkScale = 1; ///< rate between hosts, wanted to recorded
};

/// The algorithm that `node` takes then: the stated one, else by NCCL's rule; empty where neither
/// is known. More ranks come on more hosts, each with as many as recorded.
std::string takenAfter(const CollectiveNode &node, const NcclChange &change, const Graph &graph,
                       const Trace &trace);

} // namespace core
