#pragma once

#include "core/measure/framework.h"
#include "core/model/trace.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// Calls that hold the host up by what they do, not by how many kernels it launches.
enum class HostCallKind {
    Allocation, ///< of device memory by the driver, and its release, which waits for the device
    Synchronization, ///< the program waits for the device
    Copy ///< waited for, as the host's memory is not pinned
};

/// All calls of one name of a rank, in the iterations that HostCalls are of.
struct HostCall
{
    std::string name;
    std::size_t count = 0;
    /// While no stream of the rank is busy; without what is called inside of it.
    std::int64_t idleNs = 0;
};

/// What a rank's host does while its accelerator waits for it; times are sums over the compared
/// iterations but those that were to be left out.
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

/// rare: numbers of iterations to leave out, as what is rare in them (freeing memory once) says
/// nothing about the others.
HostCalls hostCalls(const Trace &trace, int rank, const std::vector<std::int64_t> &rare = {});

/// Kind of a call or operator by its name; empty: it does not hold the host up.
std::optional<HostCallKind> hostCallKind(std::string_view name);

/// What can be done about `kind`.
std::string hostCallRemedy(HostCallKind kind, Framework framework);

} // namespace core
