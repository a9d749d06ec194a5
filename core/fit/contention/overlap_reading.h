#pragma once

#include "core/graph/graph.h"

#include <cstdint>
#include <vector>

namespace core {

/// The unchanged job if communication costs the computation that it overlaps more or less than the
/// trace tells: see OverlapStretch.
struct OverlapReading
{
    double slowdown = 1;
    std::vector<std::int64_t> durationNs; ///< by OpId of the base's graph, un-stretched by it
    std::int64_t predictedNs = 0; ///< the iteration by its replay

    Graph of(const Graph &base) const;
};

} // namespace core
