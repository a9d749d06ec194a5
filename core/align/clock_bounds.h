#pragma once

#include "core/align/clock_evidence.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace core {

inline constexpr std::int64_t SmallestContradictionNs = 1000; ///< what the ticks of clocks make up

/// x_i - x_j <= boundNs, x being what is still added to the workers' clocks: something of i has to
/// come before something of j.
struct ClockBound
{
    std::size_t i = 0, j = 0;
    double boundNs = 0;

    /// By the clocks as they are: x = 0.
    bool isBroken() const { return boundNs < -static_cast<double>(SmallestContradictionNs); }
};

/// Aligned time of a worker's raw time, as nanoseconds since a common origin.
using AlignedTime = std::function<double(std::size_t worker, std::int64_t rawNs)>;

/// The tightest bound of every ordered pair of workers: nobody leaves a collective before all have
/// come (mayHaveOutliers: but for one in fifty), no message arrives before it was sent. Only
/// workers with isKnown.
std::vector<ClockBound> clockBounds(const ClockEvidence &evidence, const AlignedTime &aligned,
                                    const std::vector<bool> &isKnown, bool mayHaveOutliers,
                                    const JobControl &control);

struct BoundedShift
{
    std::vector<double> shiftNs; ///< by worker, 0 for the reference
    double slackNs = 0; ///< by how much bounds that contradict each other had to be relaxed
};

/// The shift near 0 that satisfies the bounds: difference constraints, feasible by Bellman-Ford,
/// all relaxed by the smallest slack that makes them so; then every worker goes back towards 0
/// as far as the others let it.
BoundedShift satisfyBounds(const std::vector<ClockBound> &bounds, std::size_t workerCount,
                           std::size_t reference, const JobControl &control);

/// How far the bounds that a worker has with the reference let it move to either side; bounds that
/// contradict each other do not bound it.
struct Reach
{
    double downNs = 0, upNs = 0; ///< infinite where nothing bounds it
    bool isContradicted = false;
};
std::vector<Reach> reachOf(const std::vector<ClockBound> &bounds, std::size_t workerCount,
                           std::size_t reference);

} // namespace core
