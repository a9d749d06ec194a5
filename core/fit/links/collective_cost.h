#pragma once

#include "core/graph/collectives/collective_algorithm.h"

#include <optional>
#include <string_view>

namespace core {

/// What one rank of a collective does on its link: the transfer takes
/// steps * alpha + bytes * beta.
struct TransferShape
{
    double steps = 0; ///< one after the other; each pays the latency alpha
    double bytes = 0; ///< on the rank's link, one direction
};

/// Where the ranks are, and what else there is.
struct TransferPlace
{
    double ranksOfHost = 1; ///< of Hierarchical
    double servers = 1; ///< of ParameterServer
};

/// With `payloadBytes` at each of n ranks. Ring: all-reduce 2(n-1) steps and 2(n-1)/n of the
/// payload, reduce-scatter and all-to-all (n-1) and (n-1)/n, all-gather (n-1) and (n-1) payloads;
/// what else there is, one step. Tree (all-reduce only): 2 log2(n) steps, 2 payloads. Hierarchical
/// (all-reduce only): reduce-scatter among the ranks of a host, all-reduce of the shards between
/// hosts, all-gather among the ranks of a host, each a ring. Parameter server with `servers`
/// servers (all-reduce only): push, then pull; each server's link is shared by all ranks. Colocated
/// servers (all-reduce only), one beside each rank: push, then pull, and each rank's link carries
/// (n-1)/n of the payload for its rank and for its server (Jiang et al., OSDI 2020, section 2.2:
/// as many bytes as a ring). Sources:
/// Patarasuk and Yuan 2009 (ring); Sanders, Speck and Traeff 2009 (tree).
TransferShape transferShape(CollectiveAlgorithm algorithm, std::string_view kind,
                            double payloadBytes, double ranks, const TransferPlace &place = {});

/// The shape of what NCCL says it took ("TREE", "NVLS"; empty: a ring); absent where it is not
/// known. `ranksOfHost`: on average, where hosts are recorded.
///
/// TREE: payload up and down, chains of a host's ranks below the hosts' trees (NCCL's
/// src/graph/tuning.cc, ncclTopoTuneModel: 2 (ranks of a host - 1) and 2 log2(hosts) latencies).
/// NVLS: the switch of one NVLink domain reduces and multicasts; a rank's link carries its payload
/// to the switch, which asks for it shard by shard, and 1/n of it, its reduced shard (Klenk et al.,
/// ISCA 2020). COLLNET_CHAIN, COLLNET_DIRECT: the network's switches reduce; the payload goes there
/// and comes back, one direction each (Graham et al., COMHPC 2016); not known where ranks share
/// hosts, whose links carry more than the network's. PAT: a ring's bytes in log2(n) steps
/// (all-gather and reduce-scatter).
std::optional<TransferShape> statedShape(std::string_view ncclName, std::string_view kind,
                                         double payloadBytes, double ranks,
                                         std::optional<double> ranksOfHost);

/// Factor on each rank's payload if `wanted` ranks take part instead of `ranks`: what is gathered
/// is each rank's shard, which is smaller the more there are.
double payloadGrowth(std::string_view kind, double ranks, double wanted);

} // namespace core
