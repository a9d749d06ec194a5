#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace core {

/// A transfer that a program holds in a queue of its own from when its data is complete on all
/// ranks until it hands it to the backend.
struct QueuedTransfer
{
    std::string_view tensor;
    std::int32_t iteration = 0; ///< in which its data became complete
    std::int64_t readyNs = 0, startNs = 0;
};

/// In which order a queue is served, as its transfers show.
struct QueueOrder
{
    /// By transfer, lower is more urgent: the tensor whose gradient is complete last is needed
    /// first by the next forward pass (P3, MLSys 2019).
    std::vector<std::int32_t> priorities;
    bool isByPriority = false; ///< else in the order of readiness
};

/// Of the two orders the one that more of the choices agree with that the queue made where the two
/// would have chosen different tensors.
QueueOrder queueOrder(const std::vector<QueuedTransfer> &transfers);

} // namespace core
