#pragma once

#include "core/base/job_control.h"
#include "core/fit/contention/interference.h"
#include "core/fit/links/link_models.h"
#include "core/graph/graph.h"
#include "core/measure/iteration_time.h"
#include "core/measure/part_times.h"
#include "core/measure/worker_activity.h"
#include "core/model/trace.h"
#include "core/predict/clock_reasons.h"
#include "core/replay/replay.h"
#include "core/replay/replay_base.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace core {

/// What every what-if on one trace starts from.
struct PredictionBase
{
    LinkModels links; ///< fitted from the trace
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
void throwIfNothingToReplay(const Trace &trace, const Graph &measured);

/// Throws as throwIfNothingToReplay(), and Cancelled.
PredictionBase predictionBase(const Trace &trace, const Graph &measured, const JobControl &control);
/// For whom has workerActivities() of the trace anyway.
PredictionBase predictionBase(const Trace &trace, const Graph &measured,
                              const std::vector<WorkerActivity> &activities,
                              const JobControl &control);

} // namespace core
