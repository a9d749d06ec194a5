#pragma once

#include "core/model/slice_index.h"
#include "core/model/trace.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>

namespace core {

/// Of framework ops that tell how fast a core is: shorter ones are mostly dispatch.
inline constexpr std::int64_t ShortestFrameworkSampleNs = 20'000;

/// An op of the framework itself ("aten::..."), which works on a core, unlike what the interpreter
/// does around it, which may be a sleep.
inline bool isFrameworkOp(std::string_view name)
{
    return name.starts_with("aten::");
}

/// Calls visit(row) for the outermost framework ops of a track from `row` on that begin before
/// `endNs` (raw clock).
template <typename Visit>
void visitFrameworkOps(const Trace &trace, const SliceColumns &slices, std::size_t row,
                       std::int64_t endNs, Visit visit)
{
    std::int64_t coveredUntilNs = std::numeric_limits<std::int64_t>::min();
    for (; row < slices.size() && slices.startNs[row] < endNs; ++row) {
        if (slices.startNs[row] < coveredUntilNs || !isFrameworkOp(trace.nameOf(slices.name[row])))
            continue;
        coveredUntilNs = slices.endNs(row);
        visit(row);
    }
}

} // namespace core
