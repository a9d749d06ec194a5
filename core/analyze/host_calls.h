#pragma once

#include "core/model/trace.h"
#include "core/scenario/framework.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace core {

/// Calls that hold the host up by what they do, not by how many kernels it launches.
enum class HostCallKind {
    Allocation, ///< of device memory by the driver, and its release, which waits for the device
    Synchronization, ///< the program waits for the device
    Copy ///< waited for, as the host's memory is not pinned
};

/// All calls of one name of a rank, in its compared iterations.
struct HostCall
{
    std::string name;
    std::size_t count = 0;
    /// While no stream of the rank is busy; without what is called inside of it.
    std::int64_t idleNs = 0;
};

/// What a rank's host does while its accelerator waits for it; times are sums over the compared
/// iterations.
struct HostCalls
{
    int rank = 0;
    std::int64_t iterations = 1;
    std::int64_t idleNs = 0; ///< no stream is busy
    std::vector<HostCall> calls; ///< runtime calls and operators that load no input, longest first
    /// Behind half of idleNs or more. An idle time that begins in a call that waits for the device
    /// is of that call as a whole: the host could not launch ahead.
    std::optional<HostCallKind> cause;
    std::string causeName; ///< its call with the largest share

    /// "hipFree: 816 calls, 1.043 s; aten::add: ...", `per` iteration; empty where there is none.
    std::string text(const std::string &per) const;
};

HostCalls hostCalls(const Trace &trace, int rank);

/// What can be done about `kind`.
std::string hostCallRemedy(HostCallKind kind, Framework framework);

} // namespace core
