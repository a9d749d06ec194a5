#pragma once

#include "core/base/job_control.h"
#include "core/change/change.h"
#include "core/compare/verdict.h"
#include "core/measure/part_times.h"
#include "core/measure/trust_level.h"
#include "core/predict/predictor.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace core {

/// Promise of a strategy for the job that an earlier run recorded.
struct Promise
{
    Strategy strategy;
    std::int64_t unchangedNs = 0; ///< replayed iteration without the strategy
    std::int64_t iterationNs = 0; ///< predicted with it
    /// 95 % interval of the typical iteration with it (PredictionInterval::typicalLowNs), as the
    /// gains of `optimize` have it: the spread of single iterations counts as noise of the runs.
    std::int64_t lowNs = 0, highNs = 0;
    /// Reason why there is no interval; then both are iterationNs. Empty: there is one.
    std::optional<std::string> unknownInterval;
    PartTimes parts; ///< predicted
    TrustLevel trust = TrustLevel::Good;
    std::string trustReason;
    std::optional<std::string> noChange; ///< why the strategy changes nothing; empty where it does
    /// Tensors of each bucket, in the order in which gradients become ready; empty: the
    /// strategy does not say which travel together.
    std::vector<std::size_t> buckets;

    RunGain gain() const
    {
        return { unchangedNs - iterationNs, unchangedNs - highNs, unchangedNs - lowNs };
    }
};

/// Throws Error where the earlier run does not support the strategy; Cancelled.
Promise promiseOf(Predictor &predictor, const Strategy &strategy, const JobControl &control);

} // namespace core
