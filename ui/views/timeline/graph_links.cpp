#include "ui/views/timeline/graph_links.h"

#include "ui/widgets/format.h"

#include <QCoreApplication>

#include <algorithm>
#include <set>

namespace ui {

GraphLinks::GraphLinks(std::shared_ptr<const core::Graph> graph)
    : m_graph(std::move(graph))
    , m_successorOffset(m_graph->size() + 1, 0)
    , m_successors(m_graph->preds.size())
{
    const auto ops = static_cast<std::uint32_t>(m_graph->size());
    for (const core::Edge &edge : m_graph->preds) {
        ++m_successorOffset[edge.op.value + 1];
    }
    for (std::uint32_t op = 0; op < ops; ++op) {
        m_successorOffset[op + 1] += m_successorOffset[op];
    }
    std::vector<std::uint32_t> next(m_successorOffset.begin(), m_successorOffset.end() - 1);
    for (std::uint32_t op = 0; op < ops; ++op) {
        for (const core::Edge &edge : m_graph->predecessors(core::OpId(op))) {
            m_successors[next[edge.op.value]++] = { core::OpId(op), edge.kind };
        }
        if (m_graph->slice[op] != core::NoSlice) {
            m_opOfSlice.emplace(m_graph->slice[op].value, core::OpId(op));
        }
    }
    for (const core::CollectiveNode &node : m_graph->collectives) {
        for (const core::CollectiveNode::Part &part : node.parts) {
            m_transferOfSlice[part.slice.value] = node.transfer;
            m_collectiveOfSlice[part.slice.value]
                = static_cast<std::size_t>(&node - m_graph->collectives.data());
        }
        const auto last
            = std::ranges::max_element(node.parts, {}, &core::CollectiveNode::Part::startNs);
        if (last != node.parts.end()) {
            m_sliceOfVirtual[node.transfer.value] = last->slice;
            m_sliceOfVirtual[node.arrival.value] = last->slice;
        }
    }
}

std::optional<core::OpId> GraphLinks::opOf(core::SliceId slice) const
{
    const auto op = m_opOfSlice.find(slice.value);
    if (op != m_opOfSlice.end()) {
        return op->second;
    }
    const auto transfer = m_transferOfSlice.find(slice.value);
    return transfer == m_transferOfSlice.end() ? std::nullopt : std::optional(transfer->second);
}

const core::CollectiveNode *GraphLinks::collectiveOf(core::SliceId slice) const
{
    const auto found = m_collectiveOfSlice.find(slice.value);
    return found == m_collectiveOfSlice.end() ? nullptr : &m_graph->collectives[found->second];
}

core::SliceId GraphLinks::sliceOf(core::OpId op) const
{
    const auto part = m_sliceOfVirtual.find(op.value);
    return part == m_sliceOfVirtual.end() ? m_graph->slice[op.value] : part->second;
}

std::vector<core::OpId> GraphLinks::opsOf(core::SliceId slice) const
{
    std::vector<core::OpId> ops;
    if (const auto op = m_opOfSlice.find(slice.value); op != m_opOfSlice.end()) {
        ops.push_back(op->second);
    }
    const auto transfer = m_transferOfSlice.find(slice.value);
    if (transfer != m_transferOfSlice.end()) {
        ops.push_back(transfer->second);
    }
    return ops;
}

std::span<const core::Edge> GraphLinks::edges(core::OpId op, Direction direction) const
{
    if (direction == Direction::Back) {
        return m_graph->predecessors(op);
    }
    return { m_successors.data() + m_successorOffset[op.value],
             m_successors.data() + m_successorOffset[op.value + 1] };
}

std::vector<GraphLinks::Link> GraphLinks::neighbours(core::SliceId slice, Direction direction,
                                                     std::size_t limit) const
{
    constexpr std::size_t MostVisited = 2000; // a join of many ranks is wide
    std::vector<Link> found;
    std::set<std::uint64_t> seen { slice.value };
    std::vector<core::OpId> open = opsOf(slice);
    for (std::size_t visited = 0; visited < open.size() && visited < MostVisited; ++visited) {
        for (const core::Edge &edge : edges(open[visited], direction)) {
            const core::SliceId other = sliceOf(edge.op);
            const bool isVirtual = m_graph->kind[edge.op.value] == core::OpKind::Virtual;
            if (isVirtual || other == slice) {
                if (std::ranges::find(open, edge.op) == open.end()) {
                    open.push_back(edge.op);
                }
            } else if (other != core::NoSlice && seen.insert(other.value).second) {
                found.push_back({ edge.op, other, edge.kind });
            }
        }
    }
    std::ranges::sort(found, {}, [this, direction](const Link &link) {
        const std::int64_t start = m_graph->measuredStartNs[link.op.value];
        return direction == Direction::Forth ? start
                                             : -(start + m_graph->durationNs[link.op.value]);
    });
    found.resize(std::min(found.size(), limit));
    return found;
}

std::vector<GraphLinks::Link> GraphLinks::predecessors(core::SliceId slice, std::size_t limit) const
{
    return neighbours(slice, Direction::Back, limit);
}

std::vector<GraphLinks::Link> GraphLinks::successors(core::SliceId slice, std::size_t limit) const
{
    return neighbours(slice, Direction::Forth, limit);
}

PickEntry dependencyEntry(const GraphLinks::Link &link, const core::ProjectReader &reader)
{
    const auto slice = reader.slice(link.slice);
    if (!slice)
        return {};
    const int rank = reader.info().workers[slice->worker.value].rank;
    return { QString::fromStdString(slice->name),
             QCoreApplication::translate("TimelineView", "rank %1 \u00b7 %2")
                 .arg(rank)
                 .arg(formatDuration(slice->durationNs)) };
}

} // namespace ui
