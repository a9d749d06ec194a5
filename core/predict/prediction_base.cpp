#include "core/predict/prediction_base.h"

#include "core/base/error.h"
#include "core/measure/parts.h"
#include "core/model/separate_jobs.h"

namespace core {

void throwIfNothingToReplay(const Trace &trace, const Graph &measured)
{
    if (const SeparateJobs jobs = separateJobs(trace); jobs.areSeveral())
        throw Error(separateJobsHeadline(trace, jobs));
    if (measured.iterationCount == 0)
        throw Error("The trace has no iteration that every rank recorded; nothing to replay.");
}

PredictionBase predictionBase(const Trace &trace, const Graph &measured, const JobControl &control)
{
    return predictionBase(
        trace, measured,
        workerActivities(trace, sliceTransfers(trace, measured), control.part(0, 0.2)),
        control.part(0.2, 1));
}

PredictionBase predictionBase(const Trace &trace, const Graph &measured,
                              const std::vector<WorkerActivity> &activities,
                              const JobControl &control)
{
    throwIfNothingToReplay(trace, measured);
    PredictionBase base;
    base.measured = measuredIterations(trace);
    base.links = fitLinks(measured, trace, control);
    base.stretch = std::make_shared<const OverlapStretch>(measured, trace, base.links, control);
    base.graph = std::make_shared<const Graph>(base.stretch->takenFrom(measured));
    control.report(0.3, "replay");
    base.replayed = std::make_shared<const ReplayBase>(base.graph, control);
    base.replay = { base.replayed, &base.replayed->result() };
    base.iterations = unchangedIterations(*base.graph, *base.replay);
    base.predictedNs = slowestTypicalNs(base.iterations);
    base.measuredParts = measuredParts(activities, measured);
    base.clocks = clockReasons(trace);
    base.replayedParts = replayedParts(*base.graph, *base.replay, base.iterations);
    return base;
}

} // namespace core
