#pragma once

#include "core/blocks/lanes.h"

#include <cstdint>
#include <vector>

namespace core {

/// Lanes of ranks that do the same at nearly the same time.
struct AlikeRanks
{
    std::vector<std::uint32_t> standIn; ///< by lane: the lane that is drawn for it, else itself
    std::vector<std::vector<WorkerId>> groups; ///< the drawn rank of each first
};

/// Ranks are alike where their lanes have the same outermost blocks, and none of these begins or
/// ends more than 1 % of `rangeNs` apart. `favoured`: is drawn for its group. Links stand for
/// themselves. O(blocks).
AlikeRanks findAlikeRanks(const std::vector<Lane> &lanes,
                          const std::vector<std::vector<Block>> &outermost, std::int64_t rangeNs,
                          WorkerId favoured);

} // namespace core
