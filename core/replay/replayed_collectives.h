#pragma once

#include "core/graph/graph.h"
#include "core/replay/replay.h"

#include <cstdint>
#include <vector>

namespace core {

/// One rank's part of a replayed collective: from when it is handed over or, if the link or all
/// threads of the rank's backend were taken, from when there was room, until the transfer ends. It
/// waits for other ranks until transferStartNs.
struct ReplayedPart
{
    std::int64_t startNs = 0, transferStartNs = 0, endNs = 0;
};

/// By index into Graph::collectives and CollectiveNode::parts. Of a CPU backend no more collectives
/// are under way on a rank than the link serves at once (Device::capacity, as recorded): a thread
/// that waits for other ranks can take no further one. They are taken in the order in which their
/// transfers begin.
std::vector<std::vector<ReplayedPart>> replayedCollectives(const Graph &graph,
                                                           const ReplayResult &result);

} // namespace core
