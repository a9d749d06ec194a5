#pragma once

#include "core/graph/graph.h"
#include "core/model/trace.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace core {

/// Where the ranks of a collective are.
struct GroupPlaces
{
    std::vector<std::size_t> parts; ///< indices into CollectiveNode::parts, in the order of ranks
    std::vector<std::uint32_t> hosts; ///< of these; equal numbers are one host
    bool areHostsKnown = true; ///< else every rank counts as a host of its own
};

GroupPlaces groupPlaces(const CollectiveNode &node, const Trace &trace);

/// Ranks a host, on average; absent where hosts are not recorded.
std::optional<double> ranksOfHost(const CollectiveNode &node, const Trace &trace);

} // namespace core
