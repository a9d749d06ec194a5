#include "core/compare/measured_run.h"

#include "core/base/error.h"
#include "core/change/gradients/bucket_base.h"
#include "core/change/gradients/whole_iterations.h"
#include "core/measure/iteration_time.h"
#include "core/measure/parts.h"
#include "core/measure/worker_activity.h"
#include "core/model/iteration_period.h"
#include "core/model/step_marks.h"
#include "core/model/world_size.h"
#include "core/predict/iteration_spread.h"
#include "core/predict/prediction_base.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace core {

namespace {

    ReplayedIterations asIterations(const Trace &trace, std::vector<std::int64_t> durationsNs)
    {
        ReplayedIterations own;
        own.periodNs = std::move(durationsNs);
        if (own.periodNs.size() == trace.compared.count) // a rank may have a number twice
            own.positions = positionsOf(trace.compared);
        own.typicalNs = typicalOfPeriod(own.periodNs, own.positions);
        return own;
    }

    /// Iterations by rank, without ranks that recorded none.
    std::vector<ReplayedIterations> recordedIterations(const Trace &trace)
    {
        std::vector<std::vector<std::int64_t>> durations(trace.workers.size());
        for (const Iteration &iteration : trace.compared.iterations)
            durations[iteration.worker.value].push_back(iteration.range.durationNs());
        std::vector<ReplayedIterations> all;
        for (std::vector<std::int64_t> &own : durations)
            if (!own.empty())
                all.push_back(asIterations(trace, std::move(own)));
        return all;
    }

    RunTime runTime(std::int64_t ns, const std::vector<ReplayedIterations> &iterations,
                    const JobControl &control)
    {
        const IterationSpread spread = iterationSpread(iterations, control);
        return { ns, std::hypot(spread.ofOneDownNs, spread.medianDownNs),
                 std::hypot(spread.ofOneUpNs, spread.medianUpNs) };
    }

    void setParts(const Trace &trace, const std::vector<WorkerActivity> &activities,
                  const Graph &graph, const JobControl &control, MeasuredRun &run)
    {
        run.parts = measuredParts(activities, graph);
        const std::vector<PartTimes> iterations = measuredIterationParts(activities, graph);
        for (std::size_t i = 0; i < RunParts.size(); ++i) {
            std::vector<std::int64_t> values;
            values.reserve(iterations.size());
            for (const PartTimes &parts : iterations)
                values.push_back(parts.*RunParts[i].ns);
            run.partTimes[i] = runTime(run.parts.*RunParts[i].ns,
                                       { asIterations(trace, std::move(values)) }, control);
        }
    }

    void setGradients(const Graph &graph, MeasuredRun &run)
    {
        const GradientStep *const step = usualStep(graph);
        if (step == nullptr)
            return;
        run.tensorBytes = step->parameterBytes;
        run.buckets = bucketCountsOf(*step);
        run.sentShare = sentShare(graph, wholeIterations(graph));
    }

} // namespace

MeasuredRun measuredRun(const Trace &trace, const Graph &graph, const JobControl &control)
{
    throwIfNothingToReplay(trace, graph);
    MeasuredRun run;
    run.framework = frameworkOf(graph.names);
    run.ranks = statedWorldSize(trace).value_or(static_cast<int>(trace.workers.size()));
    run.iterationCount = hasKnownIterations(trace) ? trace.compared.count : 0;
    run.iteration
        = runTime(slowestMeasuredNs(measuredIterations(trace)), recordedIterations(trace), control);
    setParts(trace, workerActivities(trace, sliceTransfers(trace, graph), control), graph, control,
             run);
    setGradients(graph, run);
    return run;
}

MeasuredRun measuredRunOf(const std::filesystem::path &project, const Trace &trace,
                          const Graph &graph, const JobControl &control)
{
    try {
        return measuredRun(trace, graph, control);
    } catch (const Error &error) {
        throw Error(error.message(), { project.string(), {} });
    }
}

std::vector<std::uint64_t> bucketBytes(const std::vector<std::uint64_t> &tensorBytes,
                                       const std::vector<std::size_t> &buckets)
{
    std::vector<std::uint64_t> bytes;
    std::size_t next = 0;
    for (const std::size_t count : buckets) {
        std::uint64_t sum = 0;
        for (const std::size_t end = std::min(tensorBytes.size(), next + count); next < end; ++next)
            sum += tensorBytes[next];
        bytes.push_back(sum);
    }
    return bytes;
}

} // namespace core
