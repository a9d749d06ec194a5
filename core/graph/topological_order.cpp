#include "core/graph/topological_order.h"

#include "core/graph/ops_per_look.h"
#include "core/graph/radix_order.h"

#include <algorithm>

namespace core {

namespace {

    OpId endOf(const GraphBuilder::EdgeSpec &edge, EdgeEnd end)
    {
        return end == EdgeEnd::From ? edge.from : edge.to;
    }

    std::vector<std::uint32_t> orderByStart(const std::vector<OpSpec> &ops)
    {
        std::vector<std::int64_t> startNs(ops.size());
        std::transform(ops.begin(), ops.end(), startNs.begin(),
                       [](const OpSpec &op) { return op.measuredStartNs; });
        return radixOrder(startNs);
    }

} // namespace

GroupedEdges groupBy(EdgeEnd end, const std::vector<GraphBuilder::EdgeSpec> &edges, std::size_t ops)
{
    const EdgeEnd otherEnd = end == EdgeEnd::From ? EdgeEnd::To : EdgeEnd::From;
    GroupedEdges grouped;
    grouped.offset.assign(ops + 1, 0);
    for (const auto &edge : edges)
        ++grouped.offset[endOf(edge, end).value + 1];
    for (std::size_t i = 0; i < ops; ++i)
        grouped.offset[i + 1] += grouped.offset[i];
    grouped.edges.resize(edges.size());
    std::vector<std::uint32_t> next(grouped.offset.begin(), grouped.offset.end() - 1);
    for (const auto &edge : edges)
        grouped.edges[next[endOf(edge, end).value]++] = { endOf(edge, otherEnd), edge.kind };
    return grouped;
}

std::vector<std::uint32_t> degrees(EdgeEnd end, const std::vector<GraphBuilder::EdgeSpec> &edges,
                                   std::size_t ops)
{
    std::vector<std::uint32_t> counts(ops, 0);
    for (const auto &edge : edges)
        ++counts[endOf(edge, end).value];
    return counts;
}

TopologicalOrder::TopologicalOrder(const std::vector<OpSpec> &ops,
                                   const std::vector<GraphBuilder::EdgeSpec> &edges,
                                   const JobControl &control)
    : m_place(ops.size())
{
    throwIfCancelled(control);
    m_successors = groupBy(EdgeEnd::From, edges, ops.size());
    throwIfCancelled(control);
    m_missing = degrees(EdgeEnd::To, edges, ops.size());
    throwIfCancelled(control);
    m_byStart = orderByStart(ops);
    for (std::uint32_t place = 0; place < m_byStart.size(); ++place)
        m_place[m_byStart[place]] = place;
}

std::vector<OpId> TopologicalOrder::find(const std::vector<char> &isRemoved,
                                         const JobControl &control)
{
    m_order.reserve(m_byStart.size());
    for (m_next = 0; m_next < m_byStart.size();) {
        if (m_next % OpsPerLook == 0)
            throwIfCancelled(control);
        const std::uint32_t op = m_byStart[m_next++];
        if (m_missing[op] > 0 || isRemoved[op] != 0)
            continue;
        take(op);
        while (!m_late.empty()) {
            const std::uint32_t late = m_byStart[m_late.top()];
            m_late.pop();
            take(late);
        }
    }
    return std::move(m_order);
}

void TopologicalOrder::take(std::uint32_t op)
{
    m_order.push_back(OpId(op));
    for (const Edge &edge : m_successors.of(op)) {
        const std::uint32_t next = edge.op.value;
        if (--m_missing[next] == 0 && m_place[next] < m_next)
            m_late.push(m_place[next]);
    }
}

} // namespace core
