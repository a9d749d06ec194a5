#include "core/predict/prediction_base.h"

#include "core/base/error.h"
#include "core/change/rewrite.h"
#include "core/change/setting_effects.h"
#include "core/measure/parts.h"
#include "core/model/separate_jobs.h"
#include "core/predict/overlap_readings.h"

namespace core {

namespace {

    void throwIfNothingToReplay(const Trace &trace, const Graph &measured)
    {
        if (const SeparateJobs jobs = separateJobs(trace); jobs.areSeveral())
            throw Error(separateJobsHeadline(trace, jobs));
        if (measured.iterationCount == 0)
            throw Error("The trace has no iteration that every rank recorded; nothing to replay.");
    }

} // namespace

ScenarioBase scenarioBase(const Trace &trace, const Graph &measured, const JobControl &control)
{
    throwIfNothingToReplay(trace, measured);
    const SliceTransfers transfers
        = sliceTransfers(trace, measured, possibleCollectives(trace, control.part(0, 0.1)));
    return scenarioBase(trace, measured, workerActivities(trace, transfers, control.part(0.1, 0.2)),
                        control.part(0.2, 1));
}

ScenarioBase scenarioBase(const Trace &trace, const Graph &measured,
                          const std::vector<WorkerActivity> &activities, const JobControl &control)
{
    throwIfNothingToReplay(trace, measured);
    ScenarioBase base;
    base.measured = measuredIterations(trace);
    base.links = fitLinks(measured, trace, control);
    base.stretch = std::make_shared<const OverlapStretch>(measured, trace, base.links, control);
    base.graph = std::make_shared<const Graph>(base.stretch->takenFrom(measured));
    if (trace.shapes)
        setBatchModel(base, trace, *trace.shapes);
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

void setBatchModel(ScenarioBase &base, const Trace &trace, const OpShapes &shapes)
{
    base.work.batch.growth
        = std::make_shared<const BatchGrowth>(batchGrowth(trace, shapes, *base.graph));
}

void setOverlapReadings(ScenarioBase &base, const Graph &measured, const JobControl &control)
{
    base.work.overlap = std::make_shared<const std::vector<OverlapReading>>(
        overlapReadings(measured, base, control));
}

WorkModels workModels(const Trace &trace, const ScenarioBase &base,
                      const ScenarioSettings &settings, const JobControl &control)
{
    WorkModels work = base.work;
    if ((settings.worldSize || changesShares(settings)) && work.cores == nullptr)
        work.cores = std::make_shared<const CoreSharing>(*base.graph, trace, control);
    if (scalesCompute(settings) && work.memory == nullptr)
        work.memory = std::make_shared<const MemoryShares>(*base.graph, trace, control);
    return work;
}

std::int64_t predictIterationNs(const Trace &trace, const ScenarioBase &base,
                                const ScenarioSettings &settings, const JobControl &control)
{
    const auto graph = rewritten(trace, base.graph, base.links,
                                 workModels(trace, base, settings, control), settings, control);
    return slowestRankNs(*graph, base.replayed->replay(*graph, control), base.iterations);
}

} // namespace core
