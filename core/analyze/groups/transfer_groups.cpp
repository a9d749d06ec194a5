#include "core/analyze/groups/transfer_groups.h"

namespace core {

TransferGroups::TransferGroups(const Trace &trace, const std::vector<ProcessGroup> &groups)
    : m_trace(trace)
    , m_index(groups)
{
    if (trace.transfers.empty())
        return;
    for (const CollectiveCall &call : trace.collectives)
        if (call.kind == "send" || call.kind == "recv")
            m_messageCalls[call.slice.value] = &call;
}

const ProcessGroup *TransferGroups::find(const CollectiveNode &node) const
{
    if (node.parts.empty())
        return nullptr;
    const CollectiveNode::Part &part = node.parts.front();
    const int rank = m_trace.workers[part.worker.value].rank;
    if (!node.isMessage)
        return m_index.find(node.group, node.name, rank);
    const auto call = m_messageCalls.find(part.slice.value);
    return call == m_messageCalls.end()
        ? nullptr
        : m_index.find(call->second->group, call->second->kind, rank);
}

} // namespace core
