#pragma once

#include "core/project/read/slice_store.h"

#include <vector>

namespace core {

/// What slices of one track, name, category and phase come to.
struct SliceTotal
{
    TrackId track;
    NameId name;
    Category category = Category::Other;
    Phase phase = Phase::None;
    std::uint64_t count = 0;
    std::int64_t durationNs = 0; ///< sum, of nested slices too
    std::int64_t shortestNs = 0, longestNs = 0;
};

/// Of all slices of a project, by track, then in the order of their first slices.
std::vector<SliceTotal> sliceTotals(SliceStore &store);

} // namespace core
