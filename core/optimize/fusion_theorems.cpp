#include "core/optimize/fusion_theorems.h"

#include <algorithm>

namespace core {

namespace {

    /// The groups so far that are one, at the times that they have then.
    struct JoinedGroup
    {
        std::size_t tensors = 0;
        double bytes = 0, computedNs = 0;
        double linkFreeNs = 0; ///< when the reduction before ends

        double reducedNs(const SyncTime &syncNs) const
        {
            return std::max(computedNs, linkFreeNs) + syncNs(bytes);
        }
    };

} // namespace

std::size_t turnOf(const FusionChain &chain)
{
    constexpr double Waits = 1'000; // ns: less passes between two transfers of a busy link
    std::size_t turn = chain.groups.empty() ? 0 : chain.groups.size() - 1;
    while (turn > 0 && chain.groups[turn - 1].reducedNs > chain.groups[turn].computedNs + Waits)
        --turn;
    return turn;
}

FusionRound fusionRound(const FusionChain &chain, const SyncTime &syncNs)
{
    FusionRound round;
    if (chain.groups.empty())
        return round;
    const FusionChain::Group &first = chain.groups.front();
    JoinedGroup last { first.tensors, first.bytes, first.computedNs, 0 };
    double earlierNs = 0; // by what is saved before
    for (std::size_t n = 1; n < chain.groups.size(); ++n) {
        const FusionChain::Group &next = chain.groups[n];
        const double computedNs = next.computedNs - earlierNs;
        const double togetherNs = syncNs(last.bytes + next.bytes);
        const bool isByTheorem1
            = n <= chain.turn && next.savedNs && syncNs(last.bytes) <= *next.savedNs;
        const bool isByTheorem2 = n > chain.turn
            && last.reducedNs(syncNs) > computedNs + togetherNs - syncNs(next.bytes);
        if (!isByTheorem1 && !isByTheorem2) {
            round.counts.push_back(last.tensors);
            last = { next.tensors, next.bytes, computedNs, last.reducedNs(syncNs) };
            continue;
        }
        (isByTheorem1 ? round.byTheorem1 : round.byTheorem2) += 1;
        earlierNs += next.savedNs.value_or(0);
        last.tensors += next.tensors;
        last.bytes += next.bytes;
        last.computedNs = next.computedNs - earlierNs;
    }
    round.counts.push_back(last.tensors);
    return round;
}

} // namespace core
