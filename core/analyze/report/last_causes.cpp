#include "core/analyze/report/last_causes.h"

#include <algorithm>

namespace core {

LastCauses::LastCauses(const Graph &graph)
    : m_graph(graph)
{
    for (const CollectiveNode &node : graph.collectives) {
        std::int64_t &endNs = m_transferEndNs[node.transfer.value];
        endNs = graph.measuredStartNs[node.transfer.value];
        for (const CollectiveNode::Part &part : node.parts)
            endNs = std::max(endNs, part.endNs);
    }
}

std::int64_t LastCauses::measuredEndNs(OpId op) const
{
    const auto transfer = m_transferEndNs.find(op.value);
    return transfer != m_transferEndNs.end()
        ? transfer->second
        : m_graph.measuredStartNs[op.value] + m_graph.durationNs[op.value];
}

OpId LastCauses::of(OpId op) const
{
    for (;;) {
        OpId last = NoOp;
        for (const Edge &edge : m_graph.predecessors(op))
            if (last == NoOp || measuredEndNs(edge.op) > measuredEndNs(last))
                last = edge.op;
        if (last == NoOp || m_graph.kind[last.value] != OpKind::Virtual)
            return last;
        op = last; // ids of predecessors are smaller, so this ends
    }
}

} // namespace core
