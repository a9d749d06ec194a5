#pragma once

#include "core/base/job_control.h"
#include "core/graph/graph.h"
#include "core/graph/graph_builder.h"

#include <queue>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace core {

/// Edges by one of their ends.
struct GroupedEdges
{
    std::vector<std::uint32_t> offset; ///< size ops + 1
    std::vector<Edge> edges; ///< each with its other end

    std::span<const Edge> of(std::uint32_t op) const
    {
        return { edges.data() + offset[op], edges.data() + offset[op + 1] };
    }
};

/// By the end that they come `from`, or by the one they go `to`; of each in their own order.
enum class EdgeEnd : std::uint8_t { From, To };
GroupedEdges groupBy(EdgeEnd end, const std::vector<GraphBuilder::EdgeSpec> &edges,
                     std::size_t ops);

/// How many edges have each op as that end.
std::vector<std::uint32_t> degrees(EdgeEnd end, const std::vector<GraphBuilder::EdgeSpec> &edges,
                                   std::size_t ops);

/// Kahn's algorithm; among ready ops the one measured earliest goes first.
class TopologicalOrder
{
public:
    /// Throws Cancelled, as find() does. Of the ops and edges nothing is kept.
    TopologicalOrder(const std::vector<OpSpec> &ops,
                     const std::vector<GraphBuilder::EdgeSpec> &edges, const JobControl &control);

    /// Old ids in the new order; ops that wait for themselves are not among them. To be called
    /// once.
    std::vector<OpId> find(const std::vector<char> &isRemoved, const JobControl &control);

    /// By old id.
    GroupedEdges takeSuccessors() { return std::move(m_successors); }

private:
    void take(std::uint32_t op);

    GroupedEdges m_successors;
    std::vector<std::uint32_t> m_missing; ///< by OpId: predecessors that have not been taken
    std::vector<std::uint32_t> m_byStart; ///< old ids
    std::vector<std::uint32_t> m_place; ///< by old id: where it is there
    std::size_t m_next = 0; ///< the place to look at
    /// Places of ready ops before that: few, as ops mostly begin after their predecessors.
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> m_late;
    std::vector<OpId> m_order;
};

} // namespace core
