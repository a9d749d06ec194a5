#include "core/blocks/difference.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>

namespace core {

namespace {

    constexpr double MovedParts = 200; ///< of the width

    /// Group and name of the lane, name of the block, and the how many-th of that name it is.
    using Identity = std::tuple<std::string, std::string, std::string, std::uint32_t>;

    class Identities
    {
    public:
        explicit Identities(const Drawing &drawing)
            : m_drawing(drawing)
        {
            for (std::size_t i = 0; i < drawing.lanes.size(); ++i)
                m_laneOf[drawing.lanes[i].lane] = i;
        }

        /// Call it for all outermost blocks, in their order.
        Identity of(const DrawnBlock &block)
        {
            const DrawnLane &lane = m_drawing.lanes[m_laneOf.at(block.lane)];
            const auto number = m_counts[std::tuple(block.lane, block.name)]++;
            return { lane.group, lane.name, block.name, number };
        }

    private:
        const Drawing &m_drawing;
        std::map<std::uint32_t, std::size_t> m_laneOf; ///< by lane of the outline
        std::map<std::tuple<std::uint32_t, std::string>, std::uint32_t> m_counts;
    };

    struct Before
    {
        const DrawnBlock *block = nullptr;
        bool isMet = false;
    };

} // namespace

DrawingDifference differenceOf(const Drawing &before, const Drawing &after)
{
    DrawingDifference difference;
    difference.changes.assign(after.blocks.size(), BlockChange::Same);
    std::map<Identity, Before> known;
    Identities old(before), now(after);
    for (const DrawnBlock &block : before.blocks)
        if (block.parent == DrawnBlock::None)
            known[old.of(block)] = { &block };
    const double far = std::max(before.width, after.width) / MovedParts;
    std::map<std::pair<std::string, std::string>, std::uint32_t> rowOf; // by lane
    for (const DrawnLane &lane : after.lanes)
        rowOf[{ lane.group, lane.name }] = lane.firstRow;
    for (std::size_t i = 0; i < after.blocks.size(); ++i) {
        const DrawnBlock &block = after.blocks[i];
        if (block.parent != DrawnBlock::None)
            continue;
        const auto met = known.find(now.of(block));
        if (met == known.end()) {
            difference.changes[i] = BlockChange::Added;
            ++difference.added;
            continue;
        }
        met->second.isMet = true;
        const DrawnBlock &was = *met->second.block;
        if (std::abs(was.left - block.left) <= far && std::abs(was.right - block.right) <= far)
            continue;
        difference.changes[i] = BlockChange::Moved;
        difference.ghosts.push_back({ block.row, was.left, was.right, false });
        ++difference.moved;
    }
    for (const auto &[identity, was] : known) {
        if (was.isMet)
            continue;
        ++difference.removed;
        const auto row = rowOf.find({ std::get<0>(identity), std::get<1>(identity) });
        if (row != rowOf.end())
            difference.ghosts.push_back({ row->second, was.block->left, was.block->right, true });
    }
    return difference;
}

} // namespace core
