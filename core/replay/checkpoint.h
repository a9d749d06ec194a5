#pragma once

#include "core/graph/graph.h"
#include "core/replay/served_ops.h"

#include <cstdint>
#include <vector>

namespace core {

/// What the times of a replay's ops do not tell of its state after all that happened until, and at,
/// a time.
struct Checkpoint
{
    struct SharedDevice
    {
        std::uint32_t device;
        ServedOps served;
    };
    struct SetBackOp
    {
        std::uint32_t op;
        double remainingNs; ///< of work
    };

    std::int64_t timeNs = 0;
    std::vector<SharedDevice> shared; ///< the devices that do not serve one by one
    std::vector<SetBackOp> setBack;
};

} // namespace core
