#pragma once

#include "core/base/job_control.h"
#include "core/graph/graph.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace core {

struct ScenarioBase;

/// The unchanged job if communication costs the computation that it overlaps more or less than the
/// trace tells: see OverlapStretch.
struct OverlapReading
{
    double slowdown = 1;
    std::vector<std::int64_t> durationNs; ///< by OpId of the base's graph, un-stretched by it
    std::int64_t predictedNs = 0; ///< the iteration by its replay

    Graph of(const Graph &base) const;
};

inline constexpr std::size_t MoreCost = 0, LessCost = 1, NoCost = 2;

/// The readings that an interval looks at, at these places: the ends of the estimate's 95 %
/// interval, and no cost at all. Empty where that stretches nothing. `base` is of `measured`.
/// Throws Cancelled.
std::vector<OverlapReading> overlapReadings(const Graph &measured, const ScenarioBase &base,
                                            const JobControl &control);

} // namespace core
