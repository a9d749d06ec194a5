#pragma once

#include "core/change/schedules/bucket_chain.h"
#include "core/predict/predictor.h"

#include <cstddef>
#include <optional>

namespace core {

/// Shorter ones are no chain.
inline constexpr std::size_t FewestChainTensors = 3;

/// The job's chain in an environment (rates, ranks, ...; empty: as recorded): mean over the
/// iterations of its replay, the latest rank's readiness. Empty where the job has no such chain.
/// `predictor` has predicted the environment. Throws Cancelled.
std::optional<BucketChain> bucketChain(const Predictor &predictor, const Strategy &environment,
                                       const JobControl &control);

} // namespace core
