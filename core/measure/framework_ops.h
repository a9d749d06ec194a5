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

/// How much of a slice's time its outermost framework ops take whose name isCounted: 0..1.
template <typename IsCounted>
float frameworkShare(const Trace &trace, const SliceColumns &slices, std::size_t row,
                     IsCounted isCounted)
{
    const std::int64_t endNs = slices.endNs(row);
    std::int64_t countedNs = 0;
    visitFrameworkOps(trace, slices, row, endNs, [&](std::size_t inner) {
        if (isCounted(trace.nameOf(slices.name[inner])))
            countedNs += std::min(endNs, slices.endNs(inner)) - slices.startNs[inner];
    });
    const std::int64_t wholeNs = std::max<std::int64_t>(1, slices.durationNs[row]);
    return static_cast<float>(static_cast<double>(countedNs) / static_cast<double>(wholeNs));
}

} // namespace core
