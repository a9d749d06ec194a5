#include "ui/views/compare/twins/op_twins.h"

#include <algorithm>

namespace ui {

OpTwins::Side OpTwins::sideOf(const core::Graph &graph, const core::JobControl &control)
{
    Side side;
    side.sliceOfOp.reserve(graph.size());
    for (const core::SliceId slice : graph.slice)
        side.sliceOfOp.push_back(slice.value);
    // A part of a collective is drawn as its ready op.
    for (const core::CollectiveNode &node : graph.collectives) {
        side.sliceOfOp[node.transfer.value] = core::NoSlice.value;
        for (const core::CollectiveNode::Part &part : node.parts)
            side.sliceOfOp[part.ready.value] = part.slice.value;
    }
    core::throwIfCancelled(control);
    side.opOfSlice.reserve(graph.size());
    for (std::uint32_t op = 0; op < graph.size(); ++op)
        if (side.sliceOfOp[op] != core::NoSlice.value)
            side.opOfSlice.emplace_back(side.sliceOfOp[op], op);
    std::sort(side.opOfSlice.begin(), side.opOfSlice.end());
    core::throwIfCancelled(control);
    return side;
}

OpTwins::OpTwins(const core::Graph &below, const core::Graph *above,
                 const core::JobControl &control)
    : m_below(sideOf(below, control))
{
    if (above != nullptr)
        m_above = sideOf(*above, control);
}

std::optional<std::uint64_t> OpTwins::opOf(const Side &side, std::uint64_t slice)
{
    const auto found = std::lower_bound(side.opOfSlice.begin(), side.opOfSlice.end(),
                                        std::pair(slice, std::uint32_t { 0 }));
    if (found == side.opOfSlice.end() || found->first != slice)
        return std::nullopt;
    return found->second;
}

std::optional<std::uint64_t> OpTwins::sliceOf(const Side &side, std::uint64_t op)
{
    if (op >= side.sliceOfOp.size() || side.sliceOfOp[op] == core::NoSlice.value)
        return std::nullopt;
    return side.sliceOfOp[op];
}

std::optional<std::uint64_t> OpTwins::below(std::uint64_t above) const
{
    const auto slice = m_above ? sliceOf(*m_above, above) : std::optional(above);
    return slice ? opOf(m_below, *slice) : std::nullopt;
}

std::optional<std::uint64_t> OpTwins::above(std::uint64_t below) const
{
    const auto slice = sliceOf(m_below, below);
    return slice && m_above ? opOf(*m_above, *slice) : slice;
}

} // namespace ui
