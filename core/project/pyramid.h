#pragma once

#include "core/project/project_reader.h"

#include <span>
#include <vector>

namespace core {

/// One level of detail of a track: bins by start. A bin is one slice of any length, or a run of
/// neighbours of one depth that together span at most widthNs.
struct Level
{
    std::int64_t widthNs = 0;
    std::vector<LevelBin> bins;
};

constexpr std::size_t TopLevelBins = 2048; ///< no level above one with fewer bins than this

/// The levels of a track, finest first, whose slices are sorted and have depths. Widths are powers
/// of two; each level has at most half as many bins as the one before (the first: as slices), so
/// all together have fewer bins than the track has slices.
std::vector<Level> buildPyramid(const SliceColumns &slices);

} // namespace core
