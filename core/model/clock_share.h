#pragma once

#include "core/model/trace.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace core {

/// How far the ranks' clocks may be from each other. What matters is how that compares with an
/// iteration: 100 ms are nothing in ten seconds, and a large part of one.
struct ClockUncertainty
{
    std::int64_t ns = 0; ///< the largest Alignment::uncertaintyNs of those that are known
    std::int64_t iterationNs = 0; ///< the median one of all ranks; 0: none is recorded
    bool hasIterations = true; ///< false: iterationNs is the recorded time, not told apart

    /// As a part of iterationNs; empty where that is 0.
    std::optional<double> share() const;
    /// Small beside an iteration, so that the clocks can be said to agree.
    bool isSmall() const;
    /// So large that it is said of all that compares ranks (warning()); less changes no finding
    /// much.
    bool isTold() const;
    /// So large that nothing that compares ranks is sure.
    bool isLarge() const;
    /// "The ranks' clocks may differ by up to 134 ms, 22 % of an iteration: ..."
    std::string warning() const;
};

/// Empty where nothing is unsure.
std::optional<ClockUncertainty> clockUncertainty(const AlignmentReport &alignment,
                                                 std::span<const Track> tracks,
                                                 std::span<const Iteration> iterations);

} // namespace core
