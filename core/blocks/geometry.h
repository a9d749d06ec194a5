#pragma once

#include "core/blocks/drawing.h"

#include <array>
#include <cstdint>
#include <vector>

namespace core {

/// Heights in device-independent pixels.
struct RowHeights
{
    double row = 22, laneGap = 6;
    double groupGap = 26; ///< above the first lane of a group: its name stands there
};

/// Where the rows of a drawing are, in pixels from its top.
struct RowPlaces
{
    std::vector<double> top; ///< by row
    double rowHeight = 0, laneGap = 0;
    double height = 0; ///< of all

    double bottomOf(std::uint32_t row) const { return top[row] + rowHeight; }
    /// The row that a place is in; the number of rows if none.
    std::uint32_t rowAt(double y) const;
};

RowPlaces rowPlaces(const Drawing &drawing, const RowHeights &heights);

/// Where the waiting part of a block ends; its left edge where it does not wait.
double waitEndOf(const Drawing &drawing, const DrawnBlock &block);

struct Point
{
    double x = 0, y = 0;
};

/// The way of a link between two blocks, in pixels: out of the side that faces the other one, down
/// or up at the place of its source, along the gap at its target, into that. Blocks between hide
/// it: links are drawn below them. `scale`, `originX`: pixels a unit of the drawing, and of its
/// begin.
std::array<Point, 4> routeOf(const Drawing &drawing, const RowPlaces &rows, const DrawnLink &link,
                             double scale, double originX);

/// Thickness of a link by its bytes, in pixels: 1 up to 100 KB, 4 from 100 MB on.
double thicknessOf(std::uint64_t bytes);

/// Blocks of a row as they are seen at a resolution: those that are narrower are drawn as one.
struct SeenBlock
{
    std::uint32_t block = 0; ///< the longest of them
    double left = 0, right = 0; ///< units of the drawing
    std::uint32_t count = 1;
};

/// Links as they are seen at a resolution: those that would lie upon one another are drawn as one.
struct SeenLink
{
    std::uint32_t link = 0; ///< the most important of them
    std::uint32_t count = 1;
};

/// Links of a part of a drawing; of very many the most important ones.
struct SeenLinks
{
    static constexpr std::size_t Most = 2000;

    std::vector<SeenLink> links; ///< the most important first
    std::size_t leftOut = 0;
};

/// Links that reach into the places between `from` and `to`. `resolution`: units a pixel. O(links).
SeenLinks seenLinks(const Drawing &drawing, double from, double to, double resolution);

/// Blocks between two places, row by row. `resolution`: units a pixel. O(what is seen + log n) for
/// each row, as far as blocks are wider than a pixel. Rows from `firstRow`, before `endRow`.
std::vector<SeenBlock> seenBlocks(const Drawing &drawing, double from, double to, double resolution,
                                  std::uint32_t firstRow = 0,
                                  std::uint32_t endRow = ~std::uint32_t { 0 });

} // namespace core
