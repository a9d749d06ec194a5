#pragma once

#include "core/base/job_control.h"
#include "core/scenario/scenario.h"
#include "core/scenario/scenario_base.h"

#include <cstdint>
#include <optional>
#include <string>

namespace core {

/// Why nothing can be said of how far iterations lie apart; empty if it can. The spread of one
/// iteration is not 0 but unknown, and no other job's stands for it.
std::optional<std::string> intervalObstacle(const ScenarioResult &result);

/// Half width in ns of the 95 % interval around result.predictedNs: the root of the summed squares
/// of
///   - 1.96 standard deviations of the replayed iterations (what another run's iterations may
///   differ by),
///   - the error of the self-replay,
///   - for a what-if, how far the prediction moves when the fitted beta, and the cost of overlap on
///   a CPU backend, are taken
///     at the end of their own 95 % intervals, when the transfers' alpha is left out of the fit,
///     and when another bandwidth of a CPU backend's link is used up to what TCP can reach.
/// result has settings, graph, iterations, predictedNs and replayErrorFraction.
std::int64_t halfIntervalNs(const Trace &trace, const Graph &measured, const ScenarioBase &base,
                            const ScenarioResult &result, const JobControl &control);

} // namespace core
