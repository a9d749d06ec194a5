#pragma once

#include "core/graph/graph.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace core {

/// The iterations of one worker in a replay; times in ns from its start.
struct ReplayedIterations
{
    std::int64_t beginNs = 0; ///< of the first
    std::vector<std::int64_t> endNs; ///< [iterations]
    /// First iterations that are not like the others, since none before them left them
    /// communication; neither typicalNs nor the interval counts them.
    std::size_t warmUp = 0;
    /// Sorted; as Graph::keptIterations: not counted, either.
    std::vector<std::int32_t> kept;
    std::vector<std::uint32_t> positions; ///< as Graph::positions
    std::vector<std::int64_t> periodNs; ///< [iterations]; from one's end to the next one's
    std::vector<OpId> lastOp; ///< [iterations]; the op that ends it
    /// [iterations] of the unchanged job; 0 or more: how long after the host its accelerators end
    /// it. Empty without accelerators, and of a what-if.
    std::vector<std::int64_t> leftNs;
    /// Prediction for this worker: of the unchanged job the median of periodNs, where kinds
    /// of iterations repeat typicalOfPeriod(); of a what-if see replayedIterations().
    std::int64_t typicalNs = 0;

    /// Whether the i-th one is neither kept nor within the warm-up.
    bool counts(std::size_t i) const;
    /// periodNs of those that count.
    std::vector<std::int64_t> countedNs() const;
};

/// Iteration times of all workers of a job in one replay.
struct ReplayedJob
{
    std::vector<ReplayedIterations> iterations; ///< by WorkerId
    std::int64_t measuredNs = 0; ///< typical iteration of the trace, slowest rank
    std::int64_t predictedNs = 0; ///< steady-state period of the replay

    /// How many first iterations of the replay the prediction leaves out, on any rank; see
    /// ReplayedIterations::warmUp.
    std::size_t warmUp() const;
    /// How many iterations a figure is the mean of, where kinds of them repeat; else 1.
    std::size_t periodLength() const;
    /// Whether the prediction counts the i-th iteration of the replay.
    bool counts(std::size_t i) const;
};

} // namespace core
