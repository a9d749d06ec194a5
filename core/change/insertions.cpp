#include "core/change/insertions.h"

#include <utility>

namespace core {

Insertions::Insertions(const Graph &graph, const JobControl &control)
    : m_control(control)
    , m_builder(graph, {}, control)
{
}

OpId Insertions::add(OpId after, OpSpec op)
{
    return insert(after, op, false);
}

OpId Insertions::addForRank(OpId after, OpSpec op)
{
    return insert(after, op, true);
}

OpId Insertions::insert(OpId after, OpSpec op, bool isForRank)
{
    op.measuredStartNs = m_builder.op(after).measuredStartNs;
    const OpId added = m_builder.addOp(op);
    m_behind[after].push_back({ added, isForRank });
    return added;
}

/// The op that the edge comes from now.
OpId Insertions::behind(const GraphBuilder::EdgeSpec &edge) const
{
    const auto found = m_behind.find(edge.from);
    if (found == m_behind.end())
        return edge.from;
    const OpSpec &to = m_builder.op(edge.to);
    const bool isOnLink = m_builder.devices()[to.device.value].isLink;
    for (const Inserted &inserted : found->second)
        if (!inserted.isForRank || (!isOnLink && to.worker == m_builder.op(inserted.op).worker))
            return inserted.op;
    return edge.from;
}

Graph Insertions::build()
{
    std::vector<GraphBuilder::EdgeSpec> moved;
    m_builder.removeEdges([&](const GraphBuilder::EdgeSpec &edge) {
        const OpId from = behind(edge);
        if (from == edge.from)
            return false;
        moved.push_back({ from, edge.to, edge.kind });
        return true;
    });
    for (const GraphBuilder::EdgeSpec &edge : moved)
        m_builder.addEdge(edge.from, edge.to, edge.kind);
    for (const auto &[after, all] : m_behind)
        for (const Inserted &inserted : all) {
            const Device &device = m_builder.devices()[m_builder.op(inserted.op).device.value];
            const bool isSame = m_builder.op(after).device == m_builder.op(inserted.op).device;
            m_builder.addEdge(after, inserted.op,
                              !isSame               ? EdgeKind::Data
                                  : device.isStream ? EdgeKind::StreamOrder
                                                    : EdgeKind::HostOrder);
        }
    return m_builder.build(m_control);
}

} // namespace core
