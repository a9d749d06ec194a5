#pragma once

#include "core/base/job_control.h"
#include "core/fit/contention/overlap_reading.h"
#include "core/graph/graph.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace core {

struct PredictionBase;

inline constexpr std::size_t MoreCost = 0, LessCost = 1, NoCost = 2;

/// The readings that an interval looks at, at these places: the ends of the estimate's 95 %
/// interval, and no cost at all. Empty where that stretches nothing. `base` is of `measured`.
/// Throws Cancelled.
std::vector<OverlapReading> overlapReadings(const Graph &measured, const PredictionBase &base,
                                            const JobControl &control);

} // namespace core
