#pragma once

#include "core/graph/graph.h"

#include <cstdint>
#include <span>
#include <vector>

namespace core {

/// Which ops of a graph are one block: a run on one device, in which each op waits for nothing but
/// the one before it and nothing else waits for any but the last. All of a block are of one
/// iteration and phase.
struct Contraction
{
    std::vector<std::uint32_t> blockOf; ///< by OpId; blocks are numbered by their first ops
    std::vector<std::uint32_t> offset; ///< size blocks + 1
    std::vector<OpId> ops; ///< by block, in their order: see opsOf()

    std::size_t blockCount() const { return offset.size() - 1; }
    std::span<const OpId> opsOf(std::size_t block) const
    {
        return { ops.data() + offset[block], ops.data() + offset[block + 1] };
    }
};

/// Ops that begin or end a block whatever is around them: those by which something else names a
/// place of the graph. [ops] each, or empty: none.
struct BlockBounds
{
    std::vector<char> begins, ends;
};

/// Runs are found on devices that serve one op after the other and whose ops each wait for the one
/// before: on others a third op could come between two. O(ops + edges).
Contraction contract(const Graph &graph, const BlockBounds &bounds = {});

/// The graph of the blocks, by their numbers as OpIds: an op that takes as long as its run. It is
/// replayed to the same times; where transfers slow computation down, a block is stretched by the
/// mean of its ops (Graph::stretchShare), so that times may differ a little. It has collectives,
/// iterations and gradient steps, but no possible waits, which are about single ops. A gradient
/// step names the blocks that hold its ops: set bounds where ops must be found again.
Graph contractedGraph(const Graph &graph, const Contraction &contraction);

} // namespace core
