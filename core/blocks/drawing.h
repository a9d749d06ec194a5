#pragma once

#include "core/base/job_control.h"
#include "core/blocks/outline.h"

#include <compare>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace core {

/// Names a block in every picture of one outline.
struct BlockKey
{
    std::uint32_t lane = 0, first = 0, count = 0;

    auto operator<=>(const BlockKey &) const = default;
};

BlockKey keyOf(const Block &block);

enum class Arrangement : std::uint8_t {
    ByTime, ///< left to right by time, in ns
    ByLayers ///< left to right by what waits for what, a column each
};

enum class DetailLevel : std::uint8_t { Phases, Ops };

struct DrawingOptions
{
    Arrangement arrangement = Arrangement::ByTime;
    DetailLevel level = DetailLevel::Phases; ///< Ops: all blocks are open
    std::set<BlockKey> open;
    bool foldsAlikeRanks = true;
    bool leavesOutIdleLanes = true; ///< busy for less than 0.1 % of the time, and not on the path
};

struct DrawnBlock : Block
{
    static constexpr std::uint32_t None = ~std::uint32_t { 0 };

    std::uint32_t parent = None; ///< index of the open block that it is in
    std::uint32_t row = 0; ///< of the drawing, from the top
    double left = 0, right = 0; ///< ns from the iteration's begin, or columns
    bool isOpen = false;
    /// When the critical path is in it, replay's times; empty: never.
    std::optional<TimeRange> path = {};
    /// Time of the path in it: from the end of the step before to that of each of its ops.
    std::int64_t onPathNs = 0;
    /// The least of its ops; -1: unknown, nothing of the iteration waits for it.
    std::int64_t slackNs = -1;
};

/// Where an edge was known from, of the least reliable one of a bundle.
enum class Provenance : std::uint8_t { Recorded, Derived, Inferred };
Provenance provenanceOf(EdgeKind kind);

/// All edges from one visible block to another.
struct DrawnLink
{
    std::uint32_t from = 0, to = 0; ///< blocks
    double fromX = 0, toX = 0; ///< of the edge that is waited for longest
    std::uint32_t count = 1;
    std::uint64_t bytes = 0;
    Provenance provenance = Provenance::Recorded;
    bool isOnPath = false;
    bool isWithinLane = false; ///< by time not drawn: the order of blocks shows it
};

struct DrawnLane
{
    std::string name, group;
    LaneKind kind = LaneKind::Host;
    WorkerId worker;
    std::uint32_t lane = 0; ///< of the outline
    std::uint32_t firstRow = 0, rowCount = 1;
};

/// A step of the critical path: from this place in a block to the next one.
struct PathStep
{
    std::uint32_t block = 0;
    double left = 0, right = 0;
    bool continues = true; ///< false: the next step is not drawn
};

/// A picture without size or colour: rows from the top, places from left to right.
struct Drawing
{
    Arrangement arrangement = Arrangement::ByTime;
    double width = 1; ///< ns or columns
    std::uint32_t rowCount = 0;
    std::vector<DrawnLane> lanes;
    std::size_t lanesLeftOut = 0; ///< idle ones
    std::size_t blocksLeftOut = 0; ///< of lanes with very many side by side
    std::vector<DrawnBlock> blocks; ///< by row, then left; a parent's children are in a lower row
    std::vector<DrawnLink> links; ///< the most important first
    std::vector<PathStep> path;
};

/// Places only what is open. O(n log n) of the iteration's ops and edges. Throws Cancelled.
Drawing drawingOf(const GraphOutline &outline, const DrawingOptions &options,
                  const JobControl &control);

/// A line: "Longest on the critical path: all_reduce 20.4 MiB, 360.3 ms (54 %)", of the closed
/// blocks. `durationNs`: of the iteration, which the share is of. Empty without a path.
std::string longestOnPathText(const Drawing &drawing, std::int64_t durationNs);

} // namespace core
