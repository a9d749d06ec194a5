#pragma once

#include "core/base/job_control.h"
#include "core/graph/build/graph_context.h"

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

namespace core {

/// Slices of several ranks that are one communication: the parts of a collective, or the two ends
/// of a message.
struct Exchange
{
    std::string kind; ///< "all_reduce"; "send_recv" of a message, and where a kernel names no more
    std::string group;
    std::uint64_t sequence = 0; ///< number of the instance on its group
    bool isMessage = false; ///< parts: what the sender did, then what the receiver did
    std::string tensor; ///< that it carries a slice of, or the whole; empty: unknown
    std::string algorithm; ///< as its ranks state it; see CollectiveNode::algorithm
    std::uint32_t statedRanks = 0; ///< see CollectiveNode::statedRanks
    struct Part
    {
        WorkerId worker;
        SliceId slice;
        std::uint64_t bytes = 0;
        /// Aligned; when its data was complete, where a queue of the program's own held it back.
        std::optional<std::int64_t> readyNs;
    };
    std::vector<Part> parts;
};

/// Matched collectives and messages of device activities and of a backend's calls that lie inside
/// every worker's recorded iterations. What has no other end is noted by name. After addHostOps().
std::vector<Exchange> findExchanges(GraphContext &context, const JobControl &control);

/// The slices of all parts.
std::unordered_set<std::uint64_t> slicesOf(const std::vector<Exchange> &exchanges);

} // namespace core
