#pragma once

#include "core/graph/collectives/collective_algorithm.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace core {

/// What is to be sent.
struct ScheduleRequest
{
    std::string_view kind; ///< "all_reduce"
    /// By position in the group (the order of ranks): its host; equal numbers are one host.
    std::vector<std::uint32_t> hosts;
    std::uint64_t bytes = 0; ///< payload of one rank, see CollectiveNode::bytes
    CollectiveAlgorithm algorithm = CollectiveAlgorithm::Ring;
    std::uint32_t servers = 1; ///< of ParameterServer
    std::uint32_t root = 0; ///< position; of broadcast, reduce, gather and scatter
    std::uint32_t channels = 1; ///< among which the chunks are dealt out in turn
    std::uint64_t chunkBytes = 1 << 20; ///< the largest that is sent at once
    std::size_t mostTransfers = 8192; ///< chunks are made larger to have no more
};

/// A chunk goes from one member to another: its SEND there and its RECV here.
struct ChunkTransfer
{
    /// Positions in the group; the servers of ParameterServer come behind the ranks.
    std::uint32_t from = 0, to = 0;
    std::uint32_t firstChunk = 0, chunkCount = 1; ///< what is sent, of CollectiveSchedule::chunks
    std::uint32_t channel = 0;
    std::uint32_t step = 0; ///< of the algorithm; those of one step and chunk go side by side
    std::uint64_t bytes = 0;
    bool isReduced = false; ///< the receiver adds it to what it has; else it takes its place
    /// Many send to one: they share the receiver's end of the link, not the sender's.
    bool isHeldByReceiver = false;
};

/// The transfers of one collective. Each comes behind those that it needs.
struct CollectiveSchedule
{
    std::vector<ChunkTransfer> transfers;
    std::vector<std::uint32_t> predOffset; ///< [transfers + 1] into preds
    /// Indices of transfers that brought the sender what it sends on. A transfer without any sends
    /// the rank's own part.
    std::vector<std::uint32_t> preds;
    std::uint32_t members = 0; ///< ranks and servers
    std::uint32_t chunks = 0;
    bool isCoarsened = false; ///< chunks are larger than asked for: there would be too many
};

/// The steps of a collective. Without knowledge of the topology a ring goes through the ranks of
/// each host in their order, then on to the next host in the order of its first rank (NCCL does the
/// same where all links are alike). What NCCL knows beyond rings is for all-reduces, so all other
/// kinds are rings, chains (broadcast, reduce) or go directly (all-to-all by pairs, gather,
/// scatter). A tree joins the hosts' first ranks by NCCL's double binary tree, and the ranks of a
/// host in a chain below its first.
/// Empty for a kind that it does not know, for fewer than two ranks, and where the coarsest
/// schedule would have more than `mostTransfers`.
CollectiveSchedule collectiveSchedule(const ScheduleRequest &request);

} // namespace core
