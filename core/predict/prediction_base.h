#pragma once

#include "core/base/job_control.h"
#include "core/change/rewrite.h"
#include "core/fit/contention/interference.h"
#include "core/fit/layers/batch_growth.h"
#include "core/fit/links/link_models.h"
#include "core/graph/graph.h"
#include "core/measure/iteration_time.h"
#include "core/measure/worker_activity.h"
#include "core/model/trace.h"
#include "core/predict/clock_reasons.h"
#include "core/predict/run_scenario.h"
#include "core/replay/replay.h"
#include "core/replay/replay_base.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace core {

/// What every what-if on one trace starts from.
struct ScenarioBase
{
    LinkModels links; ///< fitted from the trace
    WorkModels work; ///< as far as set: to be kept for later what-ifs
    std::shared_ptr<const OverlapStretch> stretch; ///< by communication, of the measured graph
    std::shared_ptr<const Graph> graph; ///< the measured one with un-stretched ops and slowdown
    std::shared_ptr<const ReplayBase> replayed; ///< that graph, to replay changes of it
    std::shared_ptr<const ReplayResult> replay; ///< of it: the self-replay
    std::vector<ReplayedIterations> iterations; ///< of the self-replay, by WorkerId
    std::int64_t predictedNs = 0; ///< by the self-replay
    MeasuredIterations measured; ///< what the self-replay is compared with
    PartTimes measuredParts, replayedParts; ///< of the job as it was
    std::vector<TrustReason> clocks; ///< clockReasons() of the trace
};

/// Throws Error when no iteration is there to replay, or the traces are of several jobs.
ScenarioBase scenarioBase(const Trace &trace, const Graph &measured, const JobControl &control);
/// For whom has workerActivities() of the trace anyway.
ScenarioBase scenarioBase(const Trace &trace, const Graph &measured,
                          const std::vector<WorkerActivity> &activities, const JobControl &control);

/// For a base that was made before anybody asked for the trace's shapes: what batch_scale needs.
void setBatchModel(ScenarioBase &base, const Trace &trace, const OpShapes &shapes);

/// For the interval of any what-if: the same for all of them. `base` is of `measured`. Throws
/// Cancelled.
void setOverlapReadings(ScenarioBase &base, const Graph &measured, const JobControl &control);

/// What a what-if by these settings needs to know of the ranks' own work, but for its interval: as
/// set, else found, which takes as long as the what-if.
WorkModels workModels(const Trace &trace, const ScenarioBase &base,
                      const ScenarioSettings &settings, const JobControl &control);

/// The what-if's predicted iteration alone, without interval, parts and path: for searches. The
/// same as runScenario() predicts, and throws as it does.
std::int64_t predictIterationNs(const Trace &trace, const ScenarioBase &base,
                                const ScenarioSettings &settings, const JobControl &control);

/// The what-if's timeline and times, without what tells how far to trust them and takes several
/// replays more: not ScenarioResult::isJudged. `base` is of `measured`, its work as workModels()
/// gives it. Throws as runScenario() does.
ScenarioResult predictScenario(const Trace &trace, const Graph &measured, const ScenarioBase &base,
                               const ScenarioSettings &settings, const JobControl &control);
/// Of a result of predictScenario() from the same base: finds the rest, which makes it that of
/// runScenario(). Throws Cancelled.
void judgeScenario(const Trace &trace, const std::shared_ptr<const Graph> &measured,
                   const ScenarioBase &base, ScenarioResult &result, const JobControl &control);

/// runScenario() from a base that is there already; `base` is of `measured`.
ScenarioResult runScenario(const Trace &trace, std::shared_ptr<const Graph> measured,
                           const ScenarioBase &base, const ScenarioSettings &settings,
                           const JobControl &control);

} // namespace core
