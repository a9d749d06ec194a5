#pragma once

#include "core/base/time_range.h"
#include "core/graph/build/device_launches.h"
#include "core/graph/build/graph_context.h"

#include <cstdint>
#include <map>
#include <vector>

namespace core {

/// A slice in which a parameter's gradient becomes ready, or is copied out of its bucket.
struct GradientSlice
{
    TimeRange range; ///< aligned
    OpId op; ///< see GradientStep::gradients and copies
    std::uint64_t bytes;
    OpId forward; ///< see GradientStep::forwards
    bool hasBucketCopy; ///< holds the copy into the bucket: not a mere accumulation
    std::int64_t handedOverNs; ///< aligned; when it hands a collective over, else its end
};

/// What one iteration of a worker shows, in order of time.
struct GradientSlices
{
    std::vector<GradientSlice> gradients, copies;
};

/// The worker's by iteration. `launches` is null where the host itself computes the gradients; else
/// the slices are those that launch what does.
std::map<std::int32_t, GradientSlices>
findGradientSlices(const GraphContext &context, WorkerId worker, const DeviceLaunches *launches);

} // namespace core
