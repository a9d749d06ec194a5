#pragma once

#include <cstdint>
#include <map>
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

/// By tensor, from 0, lower is more urgent: the one whose gradient is complete last is needed first
/// by the next forward pass (P3, MLSys 2019). As the iteration with most tensors shows it. Keys
/// refer to the tensors of the transfers.
std::map<std::string_view, std::int32_t>
tensorPriorities(const std::vector<QueuedTransfer> &transfers);

/// In which order a queue is served, as its transfers show.
struct QueueOrder
{
    std::vector<std::int32_t> priorities; ///< by transfer: its tensor's
    bool isByPriority = false; ///< else in the order of readiness
};

/// Of the two orders the one that more of the choices agree with that the queue made where the two
/// would have chosen different tensors.
QueueOrder queueOrder(const std::vector<QueuedTransfer> &transfers);

} // namespace core
