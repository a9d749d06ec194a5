#pragma once

#include "core/change/plans/plan_request.h"

#include <cstdint>

namespace core {

/// Time of an all-reduce of gradients by itself: latency and bytes.
struct ReductionLine
{
    double latencyNs = 0, nsPerByte = 0;

    double ns(double bytes) const { return latencyNs + nsPerByte * bytes; }
};

/// With the job's other changes: which links there will be. `graph` has gradient steps.
ReductionLine reductionLine(const PlanRequest &request);

} // namespace core
