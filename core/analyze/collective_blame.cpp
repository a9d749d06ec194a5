#include "core/analyze/collective_blame.h"

#include <unordered_map>

namespace core {

namespace {

    std::int64_t measuredEndNs(const Graph &graph, OpId op)
    {
        return graph.measuredStartNs[op.value] + graph.durationNs[op.value];
    }

    /// Joins without duration hand on what they waited for.
    OpId lastCause(const Graph &graph, OpId op)
    {
        for (;;) {
            OpId last = NoOp;
            for (const Edge &edge : graph.predecessors(op))
                if (last == NoOp || measuredEndNs(graph, edge.op) > measuredEndNs(graph, last))
                    last = edge.op;
            if (last == NoOp || graph.kind[last.value] != OpKind::Virtual)
                return last;
            op = last; // ids of predecessors are smaller, so this ends
        }
    }

} // namespace

void blameLastRanks(const Graph &graph, std::vector<CollectiveReport> &collectives)
{
    std::unordered_map<std::uint64_t, OpId> readyOf; ///< by slice
    for (const CollectiveNode &node : graph.collectives)
        for (const CollectiveNode::Part &part : node.parts)
            readyOf[part.slice.value] = part.ready;
    for (CollectiveReport &collective : collectives)
        for (const CollectiveRankReport &part : collective.ranks) {
            const auto ready = readyOf.find(part.slice.value);
            if (part.rank != collective.lastRank || ready == readyOf.end())
                continue;
            const OpId cause = lastCause(graph, ready->second);
            if (cause == NoOp)
                continue;
            collective.blame
                = CollectiveBlame { graph.names[graph.name[cause.value].value],
                                    graph.devices[graph.device[cause.value].value].name,
                                    graph.slice[cause.value], graph.measuredStartNs[cause.value],
                                    measuredEndNs(graph, cause) };
        }
}

} // namespace core
