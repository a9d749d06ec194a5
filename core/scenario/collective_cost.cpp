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

} // namespace

double payloadGrowth(std::string_view kind, double ranks, double wanted)
{
    return kind == "all_gather" ? ranks / wanted : 1;
}

TransferShape transferShape(CollectiveAlgorithm algorithm, std::string_view kind,
                            double payloadBytes, double ranks, double servers)
{
    if (kind == "all_reduce" && ranks > 1) {
        if (algorithm == CollectiveAlgorithm::Tree)
            return { 2 * std::log2(ranks), 2 * payloadBytes };
        if (algorithm == CollectiveAlgorithm::ParameterServer)
            return { 2, 2 * payloadBytes * std::max(1.0, ranks / servers) };
    }
    return ringShape(kind, payloadBytes, ranks);
}

} // namespace core
