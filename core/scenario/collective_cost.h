#pragma once

#include <cstdint>
#include <string_view>

namespace core {

/// How a collective's bytes travel.
enum class CollectiveAlgorithm : std::uint8_t { Ring, Tree, ParameterServer };

/// What one rank of a collective does on its link: the transfer takes
/// steps * alpha + bytes * beta.
struct TransferShape
{
    double steps = 0; ///< one after the other; each pays the latency alpha
    double bytes = 0; ///< on the rank's link, one direction
};

/// With `payloadBytes` at each of n ranks. Ring: all-reduce 2(n-1) steps and 2(n-1)/n of the
/// payload, reduce-scatter and all-to-all (n-1) and (n-1)/n, all-gather (n-1) and (n-1) payloads;
/// what else there is, one step. Tree (all-reduce only): 2 log2(n) steps, 2 payloads. Parameter
/// server with `servers` servers (all-reduce only): push, then pull; each server's link is shared
/// by all ranks. Sources: Patarasuk and Yuan 2009 (ring); Sanders, Speck and Traeff 2009 (tree).
TransferShape transferShape(CollectiveAlgorithm algorithm, std::string_view kind,
                            double payloadBytes, double ranks, double servers = 1);

/// Factor on each rank's payload if `wanted` ranks take part instead of `ranks`: what is gathered
/// is each rank's shard, which is smaller the more there are.
double payloadGrowth(std::string_view kind, double ranks, double wanted);

} // namespace core
