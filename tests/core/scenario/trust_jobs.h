#pragma once

#include "core/graph/graph_builder.h"

#include <cstdint>
#include <vector>

namespace tests {

/// Of two ranks, so many bytes each.
inline core::Graph allReduces(const std::vector<std::uint64_t> &sizes)
{
    using namespace core;
    GraphBuilder builder({ "" });
    OpSpec transfer;
    transfer.device = builder.addDevice({});
    builder.addOp(transfer); // of each
    Graph graph = builder.build();
    for (const std::uint64_t bytes : sizes) {
        CollectiveNode node;
        node.name = "all_reduce";
        node.bytes = bytes;
        for (const std::uint32_t w : { 0U, 1U })
            node.parts.push_back({ WorkerId(w), NoSlice, 0, 0, NoOp });
        graph.collectives.push_back(node);
    }
    return graph;
}

} // namespace tests
