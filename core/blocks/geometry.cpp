#include "core/blocks/geometry.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace core {

std::uint32_t RowPlaces::rowAt(double y) const
{
    const auto above = std::upper_bound(top.begin(), top.end(), y);
    if (above == top.begin())
        return static_cast<std::uint32_t>(top.size());
    const auto row = static_cast<std::uint32_t>(above - top.begin() - 1);
    return y < bottomOf(row) ? row : static_cast<std::uint32_t>(top.size());
}

RowPlaces rowPlaces(const Drawing &drawing, const RowHeights &heights)
{
    RowPlaces places;
    places.rowHeight = heights.row;
    places.laneGap = heights.laneGap;
    places.top.reserve(drawing.rowCount);
    double y = 0;
    for (std::size_t i = 0; i < drawing.lanes.size(); ++i) {
        const DrawnLane &lane = drawing.lanes[i];
        y += i == 0 || drawing.lanes[i - 1].group != lane.group ? heights.groupGap
                                                                : heights.laneGap;
        for (std::uint32_t row = 0; row < lane.rowCount; ++row, y += heights.row)
            places.top.push_back(y);
    }
    places.height = y + heights.laneGap;
    return places;
}

double thicknessOf(std::uint64_t bytes)
{
    return bytes == 0 ? 1 : std::clamp(std::log10(static_cast<double>(bytes)) - 4, 1.0, 4.0);
}

double waitEndOf(const Drawing &drawing, const DrawnBlock &block)
{
    if (block.waitNs <= 0 || block.durationNs() <= 0)
        return block.left;
    if (drawing.arrangement == Arrangement::ByTime) // what begins before the picture is cut
        return std::max(block.left,
                        block.right - static_cast<double>(block.durationNs() - block.waitNs));
    return block.left
        + (block.right - block.left) * static_cast<double>(block.waitNs)
        / static_cast<double>(block.durationNs());
}

std::array<Point, 4> routeOf(const Drawing &drawing, const RowPlaces &rows, const DrawnLink &link,
                             double scale, double originX)
{
    const std::uint32_t from = drawing.blocks[link.from].row, to = drawing.blocks[link.to].row;
    const double fromX = originX + link.fromX * scale, toX = originX + link.toX * scale;
    if (from == to) {
        const double y = rows.top[from] + rows.rowHeight / 2;
        return { Point { fromX, y }, Point { fromX, y }, Point { toX, y }, Point { toX, y } };
    }
    const bool isDown = to > from;
    const double fromY = isDown ? rows.bottomOf(from) : rows.top[from];
    const double toY = isDown ? rows.top[to] : rows.bottomOf(to);
    const double alongY = isDown ? toY - rows.laneGap / 2 : toY + rows.laneGap / 2;
    return { Point { fromX, fromY }, Point { fromX, alongY }, Point { toX, alongY },
             Point { toX, toY } };
}

SeenLinks seenLinks(const Drawing &drawing, double from, double to, double resolution)
{
    constexpr double BundlePixels = 5;
    constexpr std::uint64_t Prime = 0x9E3779B97F4A7C15; // 2^64 / golden ratio
    const auto slot = [&](double place) {
        return static_cast<std::int64_t>(std::floor(place / (BundlePixels * resolution)));
    };
    std::unordered_map<std::uint64_t, std::size_t> bundles; // by a hash of rows and slots
    SeenLinks seen;
    for (std::uint32_t i = 0; i < drawing.links.size(); ++i) {
        const DrawnLink &link = drawing.links[i];
        if (link.isWithinLane && drawing.arrangement == Arrangement::ByTime)
            continue;
        if (std::max(link.fromX, link.toX) < from || std::min(link.fromX, link.toX) > to)
            continue;
        std::uint64_t way = drawing.blocks[link.from].row;
        for (const std::int64_t part :
             { std::int64_t { drawing.blocks[link.to].row }, slot(link.fromX), slot(link.toX) })
            way = (way ^ static_cast<std::uint64_t>(part)) * Prime;
        const auto bundle = bundles.find(way);
        if (bundle != bundles.end()) {
            seen.links[bundle->second].count += link.count;
        } else if (seen.links.size() < SeenLinks::Most) {
            bundles.emplace(way, seen.links.size());
            seen.links.push_back({ i, link.count });
        } else {
            ++seen.leftOut;
        }
    }
    return seen;
}

std::vector<SeenBlock> seenBlocks(const Drawing &drawing, double from, double to, double resolution,
                                  std::uint32_t firstRow, std::uint32_t endRow)
{
    std::vector<SeenBlock> seen;
    const std::vector<DrawnBlock> &blocks = drawing.blocks;
    const auto isRowBefore
        = [](const DrawnBlock &block, std::uint32_t row) { return block.row < row; };
    for (std::uint32_t row = firstRow; row < std::min(endRow, drawing.rowCount); ++row) {
        auto at = std::lower_bound(blocks.begin(), blocks.end(), row, isRowBefore);
        const auto end = std::lower_bound(at, blocks.end(), row + 1, isRowBefore);
        // Blocks of a row do not overlap, so their ends are in the order of their begins.
        at = std::lower_bound(at, end, from,
                              [](const DrawnBlock &block, double x) { return block.right < x; });
        const std::size_t firstOfRow = seen.size();
        for (; at != end && at->left <= to; ++at) {
            const auto index = static_cast<std::uint32_t>(at - blocks.begin());
            const bool isThin = at->right - at->left < resolution;
            const bool joins = isThin && seen.size() > firstOfRow && seen.back().count > 0
                && at->left - seen.back().right < resolution
                && seen.back().right - seen.back().left < 8 * resolution
                && (seen.back().count > 1 || seen.back().right - seen.back().left < resolution);
            if (!joins) {
                seen.push_back({ index, at->left, at->right, 1 });
                continue;
            }
            SeenBlock &run = seen.back();
            const DrawnBlock &longest = blocks[run.block];
            if (at->right - at->left > longest.right - longest.left)
                run.block = index;
            run.right = std::max(run.right, at->right);
            ++run.count;
        }
    }
    return seen;
}

} // namespace core
