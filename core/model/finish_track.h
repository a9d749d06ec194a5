#pragma once

#include "core/model/trace.h"

#include <functional>
#include <span>
#include <string_view>

namespace core {

/// Starts and ends of neighbours in a source may disagree by its rounding; overlaps up to this much
/// are not overlaps.
constexpr std::int64_t TouchToleranceNs = 1000;

/// For each place in the order (start, longest first) the row that belongs there; equal rows keep
/// their order. Empty where the rows are in that order already.
std::vector<std::uint32_t> sortedOrder(const SliceColumns &slices);

/// Rearranges `column` so that its row i is what was row order[i]; nothing for an empty order.
template <class Value>
void reorder(std::vector<Value> &column, std::span<const std::uint32_t> order)
{
    if (order.empty())
        return;
    std::vector<Value> sorted;
    sorted.reserve(column.size());
    for (const std::uint32_t row : order)
        sorted.push_back(column[row]);
    column = std::move(sorted);
}

/// Sorts every filled column by (start, longest first). Returns the order that was applied.
std::vector<std::uint32_t> sortSlices(SliceColumns &slices);

struct DepthReport
{
    std::uint32_t depthCount = 0; ///< rows needed: largest depth + 1
    std::uint64_t overlapping = 0; ///< slices that overlap another without nesting in it
    std::uint64_t tooDeep = 0; ///< slices put on the last depth (255) for want of more
};

/// Sets `depth` of sorted slices: one more than the innermost slice around it, or the next free
/// depth below where neighbours overlap without nesting.
///
///     |---------- 0 ----------|  |-- 0 --|       touching within TouchToleranceNs is no overlap
///       |-- 1 --||--- 1 ---|         |-- 1 --|   overlaps without nesting: next free depth
///         |-2-|
DepthReport assignDepths(SliceColumns &slices);

/// The kind of a finished track: a host thread on which nothing but communication ran is a
/// Communication track.
TrackKind finishedKind(TrackKind kind, const SliceColumns &slices);

using NameLookup = std::function<std::string_view(NameId)>;

/// Sets `phase` of all slices of one worker. tracks and slices go together ([tracks]); slices are
/// sorted and have depths and links. On host tracks the phase comes from what encloses a slice:
///   "autograd::engine::evaluate_function: ...", "MmBackward0"  Backward
///   "Optimizer.step#...", "Optimizer.zero_grad#..."          Optimizer
///   "enumerate(DataLoader)#...", "dataloader.py(..): __next__" Input
///   "DistributedDataParallel.forward", "nn.Module: ..."      Forward
///   other ops inside a "ProfilerStep#" (anywhere, if the worker has none)  Forward
/// Device activities take the phase of the host slice that launched them (correlation, else
/// external id). O(n log n).
void assignPhases(std::span<const Track> tracks, std::span<SliceColumns> slices,
                  const NameLookup &nameOf);

} // namespace core
