#include "core/blocks/find_ops.h"

#include "core/base/ascii_text.h"
#include "core/blocks/phase_blocks.h"

#include <algorithm>
#include <unordered_map>

namespace core {

namespace {

    const Block *blockWith(const std::vector<Block> &blocks, std::uint32_t index)
    {
        const auto behind
            = std::upper_bound(blocks.begin(), blocks.end(), index,
                               [](std::uint32_t i, const Block &block) { return i < block.first; });
        if (behind == blocks.begin())
            return nullptr;
        const Block &block = *std::prev(behind);
        return index < block.first + block.count ? &block : nullptr;
    }

} // namespace

std::vector<OpPlace> findOps(const GraphOutline &outline, const std::string &text)
{
    const std::string wanted = lowered(text);
    std::unordered_map<std::uint32_t, bool> hasText; // by NameId
    const auto isFound = [&](const LaneOp &op) {
        if (op.collective != LaneOp::NoCollective)
            return lowered(outline.graph->collectives[op.collective].name).find(wanted)
                != std::string::npos;
        const std::uint32_t name = outline.graph->name[op.op.value].value;
        const auto [known, isNew] = hasText.try_emplace(name, false);
        if (isNew)
            known->second = lowered(outline.graph->names[name]).find(wanted) != std::string::npos;
        return known->second;
    };
    std::vector<OpPlace> found;
    if (wanted.empty())
        return found;
    for (std::uint32_t lane = 0; lane < outline.lanes.size(); ++lane)
        for (std::uint32_t i = 0; i < outline.lanes[lane].ops.size(); ++i)
            if (isFound(outline.lanes[lane].ops[i]))
                found.push_back({ lane, i });
    return found;
}

std::optional<OpId> opOfSlice(const Graph &graph, SliceId slice)
{
    const auto found = std::find(graph.slice.begin(), graph.slice.end(), slice);
    if (found != graph.slice.end())
        return OpId(static_cast<std::uint32_t>(found - graph.slice.begin()));
    for (const CollectiveNode &node : graph.collectives)
        for (const CollectiveNode::Part &part : node.parts)
            if (part.slice == slice)
                return part.ready;
    return std::nullopt;
}

std::optional<OpPlace> placeOfSlice(const GraphOutline &outline, SliceId slice)
{
    const std::vector<SliceId> &slices = outline.graph->slice;
    for (std::uint32_t op = 0; op < slices.size(); ++op)
        if (slices[op] == slice && outline.places[op].lane != GraphOutline::NoLane)
            return outline.places[op];
    for (std::uint32_t c = 0; c < outline.graph->collectives.size(); ++c)
        for (const CollectiveNode::Part &part : outline.graph->collectives[c].parts)
            if (part.slice == slice
                && outline.places[part.ready.value].lane != GraphOutline::NoLane)
                return outline.places[part.ready.value];
    return std::nullopt;
}

SliceId sliceOf(const GraphOutline &outline, const OpPlace &place)
{
    const LaneOp &op = outline.lanes[place.lane].ops[place.index];
    const SliceId own = outline.graph->slice[op.op.value];
    if (own != NoSlice || op.collective == LaneOp::NoCollective)
        return own;
    const CollectiveNode &node = outline.graph->collectives[op.collective];
    for (const CollectiveNode::Part &part : node.parts)
        if (part.ready == op.op)
            return part.slice;
    return node.parts.empty() ? NoSlice : node.parts.front().slice;
}

std::vector<BlockKey> blocksAround(const GraphOutline &outline, const OpPlace &place)
{
    std::vector<BlockKey> around;
    if (place.lane >= outline.lanes.size())
        return around;
    std::vector<Block> blocks = outline.outermost[place.lane];
    while (const Block *const block = blockWith(blocks, place.index)) {
        around.push_back(keyOf(*block));
        if (!block->hasInner())
            break;
        blocks = innerBlocks(*outline.graph, outline.lanes[place.lane], *block);
    }
    return around;
}

} // namespace core
