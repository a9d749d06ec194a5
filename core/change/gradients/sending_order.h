#pragma once

#include "core/change/gradients/gradient_plan.h"
#include "core/graph/graph.h"

#include <set>

namespace core {

/// How a plan's all-reduces go over links: each as urgent as its piece, and behind the group before
/// where the plan says so. `graph`: what adds them, GraphAdditions or a GraphBuilder.
class SendingOrder
{
public:
    void beginIteration() { m_before = NoOp; }

    template <class EditedGraph>
    void add(const GradientGroup &group, const GradientPiece &piece, const CollectiveNode &node,
             EditedGraph &graph)
    {
        graph.op(node.arrival).delayNs += group.delayNs;
        if (group.isAfterGroupBefore && m_before != NoOp)
            graph.addEdge(m_before, node.arrival, EdgeKind::Sync);
        m_before = node.transfer;
        auto &transfer = graph.op(node.transfer);
        transfer.priority = piece.priority;
        m_links.insert(transfer.device);
    }

    /// Lets the links serve by the plan's priorities and within its credit.
    template <class EditedGraph>
    void setLinks(const GradientPlan &plan, EditedGraph &graph) const
    {
        for (const DeviceId id : m_links) {
            Device &link = graph.device(id);
            link.discipline = plan.isByPriority ? Discipline::Priority : Discipline::Shared;
            link.creditBytes = plan.creditBytes;
        }
    }

private:
    std::set<DeviceId> m_links;
    OpId m_before = NoOp; ///< the transfer before, in the iteration
};

} // namespace core
