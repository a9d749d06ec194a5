#include "core/analyze/report/collective_blame.h"

#include "core/analyze/report/last_causes.h"

#include <cstdint>
#include <unordered_map>

namespace core {

void blameLastRanks(const Graph &graph, std::vector<CollectiveReport> &collectives)
{
    const LastCauses causes(graph);
    std::unordered_map<std::uint64_t, OpId> readyOf; ///< by slice
    for (const CollectiveNode &node : graph.collectives)
        for (const CollectiveNode::Part &part : node.parts)
            readyOf[part.slice.value] = part.ready;
    for (CollectiveReport &collective : collectives) {
        collective.unknownBlame
            = "It is not replayed: it is not of the iterations that all of its ranks recorded.";
        for (const CollectiveRankReport &part : collective.ranks) {
            const auto ready = readyOf.find(part.slice.value);
            if (part.rank != collective.lastRank || ready == readyOf.end())
                continue;
            const OpId cause = causes.of(ready->second);
            if (cause == NoOp) {
                collective.unknownBlame = "Nothing that it waited for is recorded before it on the "
                                          "rank that came last.";
                continue;
            }
            collective.unknownBlame.clear();
            collective.blame
                = CollectiveBlame { graph.names[graph.name[cause.value].value],
                                    graph.devices[graph.device[cause.value].value].name,
                                    graph.slice[cause.value], graph.measuredStartNs[cause.value],
                                    causes.measuredEndNs(cause) };
        }
    }
}

} // namespace core
