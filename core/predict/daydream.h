#pragma once

#include "core/base/job_control.h"
#include "core/change/change.h"
#include "core/change/models.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"
#include "core/predict/prediction_base.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace core {

/// What daydreamIterationNs() assumes, for people.
inline constexpr std::string_view DaydreamFormula
    = "each bucket one transfer of 2(n-1)/n x size / bandwidth, one after the other; computation "
      "as recorded";

/// The naive baseline to hold a prediction against: Daydream's model (Zhu et al., ATC 2020, §5).
/// Communication is one coarse op a bucket that takes the ring's bytes over the link's nominal
/// rate (as set, else as metadata states it, else the mean rate of the trace's transfers), one at a
/// time; there is no latency, and computation takes as long as it was recorded whatever it
/// overlaps. Other settings change the graph as in Predictor::predict(). Empty where no transfer's
/// size is recorded. Throws Error where the trace does not support the strategy.
std::optional<std::int64_t> daydreamIterationNs(const Trace &trace,
                                                std::shared_ptr<const Graph> measured,
                                                const PredictionBase &base, const Models &models,
                                                const Strategy &strategy,
                                                const JobControl &control);

} // namespace core
