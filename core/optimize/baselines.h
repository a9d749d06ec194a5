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
    /// Time that 95 % of several predictions do not exceed; predictedNs is their mean.
    std::optional<std::int64_t> p95Ns = {};
    Strategy strategy = {}; ///< that makes it, with the environment; empty: none does
    /// The pass that searches on the system which it needs; empty: none does.
    std::string_view pass = {};
};

/// Which baselines are wanted.
struct BaselineRequest
{
    Strategy environment; ///< rates, ranks
    bool wantsDefaults = true; ///< of one replay each: all but the next two
    bool wantsAutotune = true, wantsRandomOrders = true;
    double seconds = 1e9; ///< after which these two are given up
};

/// Mean and 95th percentile, by the nearest rank. There is one time or more.
Baseline summaryOf(std::vector<std::int64_t> timesNs);

/// The job in an environment (rates, ranks) with the defaults of PyTorch DDP, Horovod, BytePS and
/// XLA, the job as it is by Daydream's model, with what Horovod's Autotune finds, and with its
/// tensors in 100 orders by chance, which is what TicTac compares with (Hashemi et al., MLSys 2019,
/// section 6). `predictor` has predicted the environment. Throws Cancelled.
std::vector<Baseline> baselinesOf(Predictor &predictor, const BaselineRequest &request,
                                  const JobControl &control);

} // namespace core
