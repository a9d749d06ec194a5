#pragma once

#include "core/blocks/drawing.h"

#include <cstdint>
#include <vector>

namespace core {

/// How a block differs from the one of the same lane, name and place among those of that name.
enum class BlockChange : std::uint8_t { Same, Moved, Added };

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

/// Changes from `before` to `after`, both by time, of the same lanes. Blocks are moved that
/// begin or end more than 0.5 % of the longer one's width elsewhere. O(n log n).
DrawingDifference differenceOf(const Drawing &before, const Drawing &after);

} // namespace core
