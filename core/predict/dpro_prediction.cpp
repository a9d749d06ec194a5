#include "core/predict/dpro_prediction.h"

#include "core/base/error.h"
#include "core/change/rewriting.h"
#include "core/measure/iteration_time.h"
#include "core/predict/prediction_json.h"
#include "core/replay/dpro_order.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace core {

DproPrediction predictInDproOrder(const Trace &trace, Predictor &predictor,
                                  const Strategy &strategy, const JobControl &control)
{
    DproPrediction prediction;
    prediction.strategy = strategy;
    const PredictionBase &base = predictor.base();
    prediction.measuredNs = slowestMeasuredNs(base.measured);
    const auto longpoleNs = predictor.iterationNs(strategy, control.part(0, 0.5));
    const Rewritten rewritten
        = tryRewriting(trace, predictor.measured(), base.links,
                       Models { predictor.models().batch, {}, {} }, strategy, control);
    if (rewritten.obstacle || !longpoleNs)
        throw Error(rewritten.obstacle.value_or("The trace does not support these settings."));
    prediction.longpoleNs = *longpoleNs;
    const ReplayResult result = replayInDproOrder(*rewritten.graph, control.part(0.5, 1));
    prediction.predictedNs = slowestRankNs(*rewritten.graph, result, base.iterations);
    prediction.ops = rewritten.graph->size();
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
             { "settings", strategyJson(prediction.strategy) },
             { "ops", prediction.ops },
             { "replay_wall_ns", prediction.replayWallNs } };
}

} // namespace core
