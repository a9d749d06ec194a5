#include "core/graph/edge_counts.h"

#include "core/base/duration_text.h"

#include <array>

namespace core {

EdgeCounts edgeCounts(const Graph &graph)
{
    constexpr std::size_t Kinds = static_cast<std::size_t>(EdgeKind::Framework) + 1;
    std::array<std::size_t, Kinds> edges {};
    for (const Edge &edge : graph.preds)
        ++edges[static_cast<std::size_t>(edge.kind)];
    EdgeCounts counts;
    for (std::size_t kind = 0; kind < Kinds; ++kind)
        if (edges[kind] > 0)
            counts.emplace_back(static_cast<EdgeKind>(kind), edges[kind]);
    return counts;
}

std::string edgeCountsText(const EdgeCounts &counts)
{
    std::size_t all = 0;
    for (const auto &[kind, edges] : counts)
        all += edges;
    std::string text = std::to_string(all) + (all == 1 ? " dependency" : " dependencies");
    const char *separator = ": ";
    for (const auto &[kind, edges] : counts) {
        text += separator + std::to_string(edges) + " " + std::string(edgeKindName(kind));
        if (kind == EdgeKind::Inferred)
            text += " (" + percentText(static_cast<double>(edges) / static_cast<double>(all)) + ")";
        separator = ", ";
    }
    return text;
}

} // namespace core
