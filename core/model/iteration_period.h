#pragma once

#include "core/base/saturated_time.h"
#include "core/model/trace.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace core {

/// An operation by which one kind of iterations differs from the usual one. Means per iteration,
/// over the ranks that have it.
struct KindOperation
{
    std::string name;
    std::vector<int> ranks; ///< ascending; empty: all of them
    double times = 0, usualTimes = 0; ///< how often, in this kind and in the usual one
    std::int64_t ns = 0, usualNs = 0;

    std::int64_t excessNs() const { return ns - usualNs; }
};

/// Iterations in which the same operations happen on all ranks.
struct IterationKind
{
    std::vector<std::uint32_t> positions; ///< in the period, ascending
    std::vector<KindOperation> operations; ///< the largest difference first; none of the usual one
};

/// Iterations of several kinds that repeat: each k-th has an optimizer's step, say.
struct IterationPeriod
{
    std::uint32_t length = 0; ///< 2 or more
    /// [compared iterations]: the place of each in its period, from 0.
    std::vector<std::uint32_t> positions;
    std::vector<IterationKind> kinds; ///< the usual one first, which most positions are of
};

/// [compared iterations] or empty: IterationPeriod::positions, where there is a period.
std::vector<std::uint32_t> positionsOf(const ComparedIterations &compared);

/// [positions][iterations]: which of `count` iterations figures are of.
using IterationsAt = std::vector<std::vector<std::size_t>>;

/// One position of all where `positions` is empty. Those at a position of which none `counts` all
/// do, so that no place of the period is lacking; none at all where no iteration counts.
IterationsAt iterationsAt(std::size_t count, const std::vector<std::uint32_t> &positions,
                          const std::function<bool(std::size_t)> &counts);

/// The mean over positions of what `figure` tells of the iterations there; 0 without any.
template <class Figure>
std::int64_t meanOverPositions(const IterationsAt &iterations, const Figure &figure)
{
    std::int64_t sum = 0;
    for (const std::vector<std::size_t> &here : iterations)
        sum = saturatedSum(sum, figure(here));
    return iterations.empty() ? 0 : sum / static_cast<std::int64_t>(iterations.size());
}

/// The mean over a period of the median at each of its positions; the median where `positions` is
/// empty. `values` and `positions` are by iteration.
std::int64_t typicalOfPeriod(const std::vector<std::int64_t> &values,
                             const std::vector<std::uint32_t> &positions);
/// The same of those that are listed.
std::int64_t typicalOfPeriod(const std::vector<std::int64_t> &values, const IterationsAt &which);

} // namespace core
