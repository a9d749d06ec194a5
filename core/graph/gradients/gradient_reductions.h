#pragma once

#include "core/graph/build/device_launches.h"
#include "core/graph/build/graph_context.h"

#include <cstdint>
#include <limits>
#include <map>
#include <vector>

namespace core {

inline constexpr std::size_t NoCollective = std::numeric_limits<std::size_t>::max();

/// What reduces a bucket.
struct Reduction
{
    OpId ready; ///< the worker's part begins
    OpId transfer; ///< at whose end the bucket is reduced; the same op for a call without
                   ///< recorded partners
    std::uint64_t bytes;
    std::size_t collective = NoCollective; ///< index into the builder's
    std::size_t part = 0; ///< of it, the worker's
};

/// A worker's iteration -> its all-reduces that reduce gradients, in order.
using Reductions = std::map<std::int32_t, std::vector<Reduction>>;

/// One worker's.
struct WorkerReductions
{
    Reductions byHost;
    Reductions alone; ///< calls of the host's backend whose partners are not recorded
    Reductions onDevice; ///< some may not be of gradients
};

/// By worker: the all-reduces that may be of DDP's buckets. `launches` tells which host call an
/// accelerator's comes from.
std::vector<WorkerReductions> findGradientReductions(const GraphContext &context,
                                                     const DeviceLaunches &launches);

} // namespace core
