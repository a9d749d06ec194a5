#include "core/predict/dpro_prediction.h"

#include "core/base/median_ns.h"
#include "core/change/rewrite.h"
#include "core/measure/iteration_time.h"
#include "core/predict/prediction_base.h"
#include "core/predict/prediction_json.h"
#include "core/replay/dpro_order.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace core {

DproPrediction predictInDproOrder(const Trace &trace, std::shared_ptr<const Graph> measured,
                                  const ScenarioSettings &settings, const JobControl &control)
{
    DproPrediction prediction;
    prediction.settings = settings;
    const ScenarioBase base = scenarioBase(trace, *measured, control.part(0, 0.4));
    prediction.measuredNs = slowestMeasuredNs(base.measured);
    prediction.longpoleNs = predictIterationNs(trace, base, settings, control.part(0.4, 0.7));
    const auto graph = rewritten(trace, std::move(measured), base.links,
                                 { base.work.batch, nullptr, nullptr }, settings, control);
    const ReplayResult result = replayInDproOrder(*graph, control.part(0.7, 1));
    prediction.predictedNs = slowestRankNs(*graph, result, base.iterations);
    prediction.ops = graph->size();
    prediction.replayWallNs = result.wallNs;
    return prediction;
}

nlohmann::ordered_json toJson(const DproPrediction &prediction)
{
    const auto measured = static_cast<double>(std::max<std::int64_t>(1, prediction.measuredNs));
    return { { "order", "dpro" },
             { "measured_ns", prediction.measuredNs },
             { "predicted_ns", prediction.predictedNs },
             { "error_fraction",
               static_cast<double>(prediction.predictedNs - prediction.measuredNs) / measured },
             { "ci95_ns", nullptr },
             { "ci95_unknown", "dPRO's replayer gives no interval" },
             { "longpole_ns", prediction.longpoleNs },
             { "settings", settingsJson(prediction.settings) },
             { "ops", prediction.ops },
             { "replay_wall_ns", prediction.replayWallNs } };
}

} // namespace core
