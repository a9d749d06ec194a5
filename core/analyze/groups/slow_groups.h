#pragma once

#include "core/analyze/groups/process_groups.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"

#include <cstdint>
#include <string>
#include <vector>

namespace core {

/// Ranks whose transfers take longer than the same ones between ranks of other groups.
struct SlowGroup
{
    std::vector<int> ranks; ///< ascending
    GroupRole role = GroupRole::Unknown; ///< of the transfers that lose most
    std::string kind; ///< of these: "all_reduce"
    std::uint64_t bytes = 0; ///< payload of each of these
    std::size_t transfers = 0; ///< how many of these there are
    std::int64_t ns = 0, othersNs = 0; ///< median of these, and of the groups' medians
    std::size_t others = 0; ///< groups that are compared with
    std::int64_t excessNs = 0; ///< of all compared transfers of the recording
    double factor = 1; ///< on the time of its transfers, that makes them as fast as the others'
};

/// Of groups that have one role, the same number of ranks and transfers of one kind and size: those
/// whose transfers are clearly slower than in the median group; largest excess first. A transfer's
/// time is that of the rank that comes last, so waiting is not in it, nor do clocks matter.
/// `measured` is as recorded.
std::vector<SlowGroup> slowGroups(const Trace &trace, const Graph &measured,
                                  const std::vector<ProcessGroup> &groups);

} // namespace core
