#pragma once

#include "core/base/job_control.h"
#include "core/change/change.h"
#include "core/predict/predictor.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// The iteration by other means than a search: what its result is held against.
struct Baseline
{
    std::string_view name; ///< "horovod_default"
    std::string_view title; ///< "Horovod's defaults: a buffer of 128 MiB, cycles of 1 ms"
    std::optional<std::int64_t> predictedNs; ///< of an iteration
    std::string unknown; ///< why there is none; empty: there is
};

/// The job in an environment (rates, ranks) with the defaults of PyTorch DDP, Horovod and BytePS,
/// and the job as it is by Daydream's model. `predictor` has predicted the environment. Throws
/// Cancelled.
std::vector<Baseline> baselinesOf(Predictor &predictor, const Strategy &environment,
                                  const JobControl &control);

} // namespace core
