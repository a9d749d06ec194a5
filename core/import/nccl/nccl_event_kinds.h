#pragma once

#include "core/import/nccl/nccl_event_tree.h"

#include <string>
#include <string_view>

// What the events of NCCL's profiler plug-in are.

namespace core {

inline bool isNcclOperation(const NcclEvent &event)
{
    return event.category == "COLL" || event.category == "P2P";
}

/// A collective's, send's or receive's call; not that of a group.
inline bool isNcclApiCall(const NcclEvent &event)
{
    return event.category == "COLL_API" || event.category == "P2P_API";
}

/// Of an event PROXY, which is also that of the proxy thread's own states and of its queue. What
/// the plug-in of NCCL 2.26 and later calls ProgressSend, the older ones call Send.
inline bool isNcclProxyOp(const NcclEvent &event)
{
    return event.args.size() > 1 && !event.name.starts_with("Schedule");
}

/// A state of a network step in which its data is on its way.
inline bool isNcclTransferState(std::string_view name)
{
    return name == "SendWait" || name == "RecvWait";
}

/// A member of the event's arguments; empty: it has none of that name.
inline std::string ncclText(const NcclEvent &event, std::string_view key)
{
    return std::string(textMember(event.args, key).value_or(std::string_view()));
}

} // namespace core
