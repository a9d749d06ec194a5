#include "core/analyze/bottlenecks/bottleneck_searches.h"
#include "core/analyze/report/host_calls.h"
#include "core/analyze/report/period_report.h"
#include "core/analyze/report/slow_iterations.h"
#include "core/base/duration_text.h"
#include "core/base/sentence.h"
#include "core/measure/typical_iteration.h"
#include "core/model/compared_iterations.h"

#include <algorithm>

// Rare iterations that are slower than the others.
namespace core {

namespace {

    /// The longest of the slower ones.
    CommonIteration slowestIteration(const Trace &trace)
    {
        const std::vector<CommonIteration> all = commonIterations(trace);
        return *std::max_element(all.begin(), all.end(), [](const auto &a, const auto &b) {
            return a.slowestNs < b.slowestNs;
        });
    }

    /// "Iteration 4 takes 229.3 ms longer than the others"; its medians are in the evidence.
    std::string longerText(const IterationGroups &groups)
    {
        const bool isOne = groups.slower.size() == 1;
        return slowIterationsText(groups) + (isOne ? " takes " : " take ")
            + durationText(groups.slowerNs - groups.othersNs) + " longer than the others";
    }

    /// The longest operation of the cause in that iteration; NoSlice where it has no name.
    SliceId slowestOp(const BottleneckSearch &search,
                      const std::optional<SlowIterationsCause> &cause, const TimeRange &iteration)
    {
        SliceId slice = NoSlice;
        if (!cause || cause->op.empty())
            return slice;
        const Graph &graph = search.graph;
        std::int64_t longestNs = -1;
        for (std::size_t op = 0; op < graph.size(); ++op)
            if (graph.slice[op] != NoSlice && graph.durationNs[op] > longestNs
                && iteration.contains(graph.measuredStartNs[op])
                && search.trace.workers[graph.worker[op].value].rank == cause->rank
                && graph.names[graph.name[op].value] == cause->op) {
                longestNs = graph.durationNs[op];
                slice = graph.slice[op];
            }
        return slice;
    }

    std::string slowIterationsAdvice(const Advice &advice,
                                     const std::optional<SlowIterationsCause> &cause, bool isOne,
                                     std::int64_t slowest)
    {
        if (const auto call = cause ? hostCallKind(cause->op) : std::nullopt)
            return advice.onHostCalls(*call);
        const std::string where = "iteration " + std::to_string(slowest);
        const std::string first = isOne ? "" : " It is the slowest of them.";
        std::string onAll = "Look at what all ranks do only in " + where + "." + first
            + " Examples: checkpoints, evaluation, other jobs on the network or the hosts"
            + (cause ? ", freed memory." : ".");
        if (!cause)
            return onAll + " No rank's lateness or recorded work explains half of it.";
        if (!cause->isOfOneRank)
            return onAll;
        return "Look at what rank " + std::to_string(cause->rank) + " does only in " + where + "."
            + first
            + " Examples: checkpoints, evaluation, logging, garbage collection, other programs on "
              "its host.";
    }

} // namespace

std::optional<Bottleneck> findSlowIterations(const BottleneckSearch &search)
{
    const std::optional<IterationGroups> &groups = search.diagnosis.iterationGroups;
    const std::int64_t lossNs = rareSlowIterationsLossNs(groups);
    if (groups && groups->areKinds) // the job is made so, and predictions are of the mean
        return std::nullopt;
    if (lossNs <= 0 || lossFraction(*groups, lossNs) < SmallestGain)
        return std::nullopt;
    const std::optional<SlowIterationsCause> &cause = search.diagnosis.slowIterationsCause;
    const CommonIteration slowest = slowestIteration(search.trace);
    const bool isOne = groups->slower.size() == 1;
    Bottleneck found;
    found.kind = SlowIterationsKind;
    found.predictedNs = search.baseNs;
    found.gainNs = lossNs;
    found.gainFraction = lossFraction(*groups, lossNs);
    found.title = slowIterationsText(*groups) + (isOne ? " is slow" : " are slow");
    found.cost = longerText(*groups);
    if (cause)
        found.reason = withCapital(slowIterationsCauseText(*cause, *groups)) + ".";
    found.evidence = { "Medians: " + durationText(groups->slowerNs) + " in "
                           + iterationNumbersText(groups->slower) + ", "
                           + durationText(groups->othersNs) + " in the others.",
                       "The gain is measured, of the slowest rank's mean iteration ("
                           + durationText(groups->othersNs + lossNs) + "). Predictions are of the "
                           + typicalWords(groups->periodLength) + "." };
    found.advice = slowIterationsAdvice(search.advice, cause, isOne, slowest.index);
    found.range = slowest.range;
    found.slice = slowestOp(search, cause, slowest.range);
    return found;
}

} // namespace core
