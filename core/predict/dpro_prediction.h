#pragma once

#include "core/base/job_control.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"
#include "core/predict/run_scenario.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <memory>

namespace core {

/// What replayInDproOrder() makes of a trace, beside Longpole's own prediction.
struct DproPrediction
{
    ScenarioSettings settings;
    std::int64_t measuredNs = 0; ///< median iteration of the trace, slowest rank
    std::int64_t predictedNs = 0; ///< in dPRO's order
    std::int64_t longpoleNs = 0; ///< as runScenario() predicts
    std::size_t ops = 0;
    std::int64_t replayWallNs = 0; ///< of the replay in dPRO's order
};

/// Times of ops are as measured: dPRO has no model of communication that slows computation. Throws
/// as runScenario() does.
DproPrediction predictInDproOrder(const Trace &trace, std::shared_ptr<const Graph> measured,
                                  const ScenarioSettings &settings, const JobControl &control);

/// The object of `longpole replay --order dpro --json`.
nlohmann::ordered_json toJson(const DproPrediction &prediction);

} // namespace core
