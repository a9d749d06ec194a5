#include "core/fit/links/collective_cost.h"

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

    TransferShape treeShape(double payload, double ranks, std::optional<double> ranksOfHost)
    {
        const double local = std::clamp(ranksOfHost.value_or(1), 1.0, ranks);
        return { 2 * (local - 1) + 2 * std::log2(ranks / local), 2 * payload };
    }

    std::optional<TransferShape> nvlsShape(std::string_view kind, double payload, double ranks)
    {
        if (kind == "all_reduce")
            return TransferShape { 2, payload * (1 + 1 / ranks) };
        if (kind == "all_gather")
            return TransferShape { 1, payload * ranks };
        if (kind == "reduce_scatter")
            return TransferShape { 1, payload };
        return std::nullopt;
    }

} // namespace

std::optional<TransferShape> statedShape(std::string_view ncclName, std::string_view kind,
                                         double payloadBytes, double ranks,
                                         std::optional<double> ranksOfHost)
{
    const TransferShape ring = ringShape(kind, payloadBytes, ranks);
    if (ncclName.empty() || ncclName == "RING" || ranks < 2)
        return ring;
    if (ncclName == "TREE" && kind == "all_reduce")
        return treeShape(payloadBytes, ranks, ranksOfHost);
    const bool isOneHost = !ranksOfHost || *ranksOfHost >= ranks;
    if (ncclName == "NVLS" && isOneHost)
        return nvlsShape(kind, payloadBytes, ranks);
    const bool isCollNet = ncclName == "COLLNET_CHAIN" || ncclName == "COLLNET_DIRECT";
    if (isCollNet && kind == "all_reduce" && ranksOfHost == 1.0)
        return TransferShape { 2, payloadBytes };
    if (ncclName == "PAT" && (kind == "all_gather" || kind == "reduce_scatter"))
        return TransferShape { std::ceil(std::log2(ranks)), ring.bytes };
    return std::nullopt;
}

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
        if (algorithm == CollectiveAlgorithm::ColocatedServers)
            return { 2, 2 * (ranks - 1) / ranks * payloadBytes };
        if (algorithm == CollectiveAlgorithm::Hierarchical)
            return hierarchicalShape(payloadBytes, std::min(place.ranksOfHost, ranks),
                                     std::max(1.0, ranks / place.ranksOfHost));
    }
    return ringShape(kind, payloadBytes, ranks);
}

} // namespace core
