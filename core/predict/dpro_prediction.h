#pragma once

#include "core/base/job_control.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"
#include "core/predict/predictor.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>

namespace core {

/// What replayInDproOrder() makes of a trace, beside Longpole's own prediction.
struct DproPrediction
{
    Strategy strategy;
    std::int64_t measuredNs = 0; ///< median iteration of the trace, slowest rank
    std::int64_t predictedNs = 0; ///< in dPRO's order
    std::int64_t longpoleNs = 0; ///< by Predictor::iterationNs()
    std::size_t ops = 0;
    std::int64_t replayWallNs = 0; ///< of the replay in dPRO's order
};

/// Times of ops are as measured: dPRO has no model of communication that slows computation. Throws
/// Error where the trace does not support the strategy; Cancelled.
DproPrediction predictInDproOrder(const Trace &trace, Predictor &predictor,
                                  const Strategy &strategy, const JobControl &control);

/// The object of `longpole replay --order dpro --json`.
nlohmann::ordered_json toJson(const DproPrediction &prediction);

} // namespace core
