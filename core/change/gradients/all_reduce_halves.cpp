#include "core/change/gradients/all_reduce_halves.h"

#include <algorithm>
#include <utility>

namespace core {

AllReduceHalves::AllReduceHalves(std::size_t first, GraphAdditions &additions)
    : m_additions(additions)
{
    OpSpec join = additions.op(additions.collectives()[first].arrival);
    join.delayNs = 0;
    m_areScattered = additions.addOp(join);
}

void AllReduceHalves::scatter(std::size_t index) const
{
    CollectiveNode &node = m_additions.collectives()[index];
    node.name = "reduce_scatter";
    node.algorithm.clear();
    node.chosenAlgorithm.clear();
    OpSpec &transfer = m_additions.op(node.transfer);
    transfer.durationNs /= 2;
    transfer.delayNs /= 2;
    m_additions.addEdge(node.transfer, m_areScattered, EdgeKind::Sync);
}

std::size_t AllReduceHalves::addGather(std::size_t scattered, std::int32_t priority) const
{
    CollectiveNode node = m_additions.collectives()[scattered];
    node.name = "all_gather";
    node.bytes = std::max<std::uint64_t>(1, node.bytes / node.rankCount());
    node.arrival = addCopy(node.arrival, priority);
    node.transfer = addCopy(node.transfer, priority);
    m_additions.op(node.arrival).delayNs = 0; // of a wait for ranks without a recording
    m_additions.op(node.transfer).bytes = node.bytes;
    m_additions.addEdge(node.arrival, node.transfer, EdgeKind::Collective);
    for (CollectiveNode::Part &part : node.parts) {
        part.ready = addCopy(part.ready, priority);
        m_additions.addEdge(m_areScattered, part.ready, EdgeKind::Sync);
        m_additions.addEdge(part.ready, node.arrival, EdgeKind::Collective);
    }
    const std::size_t index = m_additions.collectives().size();
    node.sequence += index;
    m_additions.addCollective(std::move(node));
    return index;
}

OpId AllReduceHalves::addCopy(OpId op, std::int32_t priority) const
{
    OpSpec spec = m_additions.op(op);
    spec.slice = NoSlice;
    spec.priority = priority;
    return m_additions.addOp(spec);
}

} // namespace core
