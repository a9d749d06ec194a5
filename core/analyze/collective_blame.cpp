#include "core/analyze/collective_blame.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>

namespace core {

namespace {

    class LastCauses
    {
    public:
        explicit LastCauses(const Graph &graph)
            : m_graph(graph)
        {
            for (const CollectiveNode &node : graph.collectives) {
                std::int64_t &endNs = m_transferEndNs[node.transfer.value];
                endNs = graph.measuredStartNs[node.transfer.value];
                for (const CollectiveNode::Part &part : node.parts)
                    endNs = std::max(endNs, part.endNs);
            }
        }

        /// The work of a transfer that shared its link is less than the time that it took.
        std::int64_t measuredEndNs(OpId op) const
        {
            const auto transfer = m_transferEndNs.find(op.value);
            return transfer != m_transferEndNs.end()
                ? transfer->second
                : m_graph.measuredStartNs[op.value] + m_graph.durationNs[op.value];
        }

        /// Joins without duration hand on what they waited for.
        OpId of(OpId op) const
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

    private:
        const Graph &m_graph;
        std::unordered_map<std::uint32_t, std::int64_t> m_transferEndNs; ///< by op
    };

} // namespace

void blameLastRanks(const Graph &graph, std::vector<CollectiveReport> &collectives)
{
    const LastCauses causes(graph);
    std::unordered_map<std::uint64_t, OpId> readyOf; ///< by slice
    for (const CollectiveNode &node : graph.collectives)
        for (const CollectiveNode::Part &part : node.parts)
            readyOf[part.slice.value] = part.ready;
    for (CollectiveReport &collective : collectives)
        for (const CollectiveRankReport &part : collective.ranks) {
            const auto ready = readyOf.find(part.slice.value);
            if (part.rank != collective.lastRank || ready == readyOf.end())
                continue;
            const OpId cause = causes.of(ready->second);
            if (cause == NoOp)
                continue;
            collective.blame
                = CollectiveBlame { graph.names[graph.name[cause.value].value],
                                    graph.devices[graph.device[cause.value].value].name,
                                    graph.slice[cause.value], graph.measuredStartNs[cause.value],
                                    causes.measuredEndNs(cause) };
        }
}

} // namespace core
