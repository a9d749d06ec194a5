#include "core/scenario/collective_cost.h"

#include <algorithm>
#include <cmath>

namespace core {

namespace {

    TransferShape ringShape(std::string_view kind, double payload, double n)
    {
        if (kind == "all_reduce")
            return { 2 * (n - 1), 2 * (n - 1) / n * payload };
        if (kind == "reduce_scatter" || kind == "all_to_all")
            return { n - 1, (n - 1) / n * payload };
        if (kind == "all_gather")
            return { n - 1, (n - 1) * payload };
        return { 1, payload };
    }

    /// The levels one after the other; the ring between hosts carries one shard of each rank.
    TransferShape hierarchicalShape(double payload, double local, double hosts)
    {
        return { 2 * (local - 1) + 2 * (hosts - 1),
                 2 * (local - 1) / local * payload + 2 * (hosts - 1) / hosts * payload / local };
    }

} // namespace

double payloadGrowth(std::string_view kind, double ranks, double wanted)
{
    return kind == "all_gather" ? ranks / wanted : 1;
}

TransferShape transferShape(CollectiveAlgorithm algorithm, std::string_view kind,
                            double payloadBytes, double ranks, const TransferPlace &place)
{
    if (kind == "all_reduce" && ranks > 1) {
        if (algorithm == CollectiveAlgorithm::Tree)
            return { 2 * std::log2(ranks), 2 * payloadBytes };
        if (algorithm == CollectiveAlgorithm::ParameterServer)
            return { 2, 2 * payloadBytes * std::max(1.0, ranks / place.servers) };
        if (algorithm == CollectiveAlgorithm::Hierarchical)
            return hierarchicalShape(payloadBytes, std::min(place.ranksOfHost, ranks),
                                     std::max(1.0, ranks / place.ranksOfHost));
    }
    return ringShape(kind, payloadBytes, ranks);
}

} // namespace core
