#pragma once

#include "core/model/trace.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace core {

/// How far the ranks' clocks may be from each other.
struct ClockUncertainty
{
    std::int64_t ns = 0; ///< the largest Alignment::uncertaintyNs
    double ofIteration = 0; ///< as a part of the median iteration
};

/// Of all ranks; absent where none is recorded.
std::optional<std::int64_t> medianIterationNs(const std::vector<Iteration> &iterations);

/// Empty where nothing is unsure, or there is no iteration to compare with.
std::optional<ClockUncertainty> clockUncertainty(const AlignmentReport &alignment,
                                                 const std::vector<Iteration> &iterations);

} // namespace core
