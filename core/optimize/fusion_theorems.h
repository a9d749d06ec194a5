#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace core {

/// Groups of tensors whose gradients are computed one after the other and reduced one after the
/// other, as replayed: dPRO's critical path of one worker, times in ns (Hu et al., MLSys 2022,
/// section 5, figure 6).
struct FusionChain
{
    struct Group
    {
        std::size_t tensors = 0;
        double bytes = 0; ///< q_n^s
        double computedNs = 0; ///< p_n^e: when the last gradient is ready
        double reducedNs = 0; ///< q_n^e
        /// Time that joining its part of the backward pass with the one before saves; empty where
        /// that cannot be.
        std::optional<double> savedNs = {};
    };
    std::vector<Group> groups;
    /// The critical path is computation up to this group's, then communication.
    std::size_t turn = 0;
};

/// The chain's turn: the last group whose reduction did not wait for the one before.
std::size_t turnOf(const FusionChain &chain);

/// Groups that Algorithm 1 makes of a chain in one round.
struct FusionRound
{
    std::vector<std::size_t> counts; ///< tensors of each group
    std::size_t byTheorem1 = 0, byTheorem2 = 0; ///< joined pairs
};

/// Time of an all-reduce of so many bytes, ns: dPRO's t_sync(s, k*).
using SyncTime = std::function<double(double bytes)>;

/// One walk of Algorithm 1 along the critical path. Where it is computation, parts n-1 and n are
/// joined if the reduction of n-1, which then begins later, takes no longer than that saves
/// (theorem 1); where it is communication, reductions n-1 and n are joined if n-1 would not have
/// ended before n is ready by more than joining takes (theorem 2); either goes with the other
/// (theorem 3). Joined groups are looked at as one with the next, at the times that follow.
FusionRound fusionRound(const FusionChain &chain, const SyncTime &syncNs);

} // namespace core
