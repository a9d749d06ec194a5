#pragma once

#include "core/blocks/drawing.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace core {

/// How a block differs from the one of the same rank, lane, name and place among those of that
/// name in the other picture. Removed: the other one, which is later, does not have it.
enum class BlockChange : std::uint8_t { Same, Moved, Added, Removed };

/// Where a block of the other drawing was, which is moved or gone.
struct GhostBlock
{
    std::uint32_t row = 0;
    double left = 0, right = 0; ///< units of the drawing
    bool isRemoved = false;
};

struct DrawingDifference
{
    std::vector<BlockChange> changes; ///< by block
    std::vector<GhostBlock> ghosts;
    std::size_t added = 0, removed = 0, moved = 0;
};

/// Changes from `before` to `after`, which `drawn` shows by time. Outermost blocks of the drawn
/// ranks are compared, however ranks are folded before. Blocks are moved that begin or end more
/// than 0.5 % of the longer iteration elsewhere. O(n log n).
DrawingDifference differenceOf(const GraphOutline &before, const GraphOutline &after,
                               const Drawing &drawn);

/// The same where `drawn` shows `before`: blocks are moved or removed, and there are no ghosts.
DrawingDifference differenceBefore(const GraphOutline &before, const GraphOutline &after,
                                   const Drawing &drawn);

/// A picture and what it is of.
struct DrawnOutline
{
    const GraphOutline &outline;
    const Drawing &drawing;
};

/// The block that stands in `to` for one of `from`: of the same rank or the one drawn for it, lane,
/// name and place among those of that name, within such blocks. Empty: none is drawn. O(n).
std::optional<std::uint32_t> counterpartOf(const DrawnOutline &from, std::uint32_t block,
                                           const DrawnOutline &to);

} // namespace core
