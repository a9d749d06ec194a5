#pragma once

#include <cstdint>
#include <optional>

namespace core {

/// One iteration of one rank divided into parts (compute + exposedComm + memOnly + idle =
/// duration), as TimeBreakdown does.
/// Communication is all that a rank spends in collectives, waiting for the others included: it does
/// not go away where transfers take no time.
struct PartTimes
{
    std::int64_t computeNs = 0;
    std::int64_t exposedCommNs = 0;
    std::int64_t overlapNs = 0; ///< communication hidden behind compute; contained in computeNs
    std::int64_t memOnlyNs = 0; ///< copies outside of compute and communication
    std::int64_t idleNs = 0;
    /// Of exposedCommNs: waiting for other ranks while nothing is transferred. Absent where no
    /// collective of several ranks and no message is recorded, or of a rank it is not known (see
    /// TimeBreakdown::exposedWaitNs).
    std::optional<std::int64_t> exposedWaitNs = {};
};

} // namespace core
