#pragma once

#include "core/analyze/groups/process_groups.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace core {

/// Finds the group that a matched collective or message is on. Refers to its arguments.
class TransferGroups
{
public:
    TransferGroups(const Trace &trace, const std::vector<ProcessGroup> &groups);

    /// Null where none is known: a message to a parameter server is on no group.
    const ProcessGroup *find(const CollectiveNode &node) const;

private:
    const Trace &m_trace;
    ProcessGroupIndex m_index;
    /// Of messages: the call that an end of it is, by slice.
    std::unordered_map<std::uint64_t, const CollectiveCall *> m_messageCalls;
};

} // namespace core
