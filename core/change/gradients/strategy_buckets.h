#pragma once

#include "core/change/change.h"
#include "core/change/measured_job.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace core {

/// How many tensors each of DDP's buckets holds under a strategy, in the order in which gradients
/// become ready. Empty where the job has no such buckets, or the strategy sends its gradients in
/// another way.
std::optional<std::vector<std::size_t>> strategyBuckets(const MeasuredJob &job,
                                                        const Strategy &strategy);

} // namespace core
