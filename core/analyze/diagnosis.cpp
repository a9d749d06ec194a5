#include "core/analyze/diagnosis.h"

#include "core/analyze/bottlenecks/bottlenecks.h"
#include "core/analyze/bottlenecks/path_evidence.h"
#include "core/analyze/ranks/late_ranks.h"
#include "core/analyze/ranks/slow_rank_lines.h"
#include "core/analyze/ranks/straggler_report.h"
#include "core/analyze/report/breakdown.h"
#include "core/analyze/report/collective_blame.h"
#include "core/analyze/report/collective_report.h"
#include "core/analyze/report/critical_path_report.h"
#include "core/analyze/report/delay_parts.h"
#include "core/analyze/report/host_gaps.h"
#include "core/analyze/report/iteration_groups.h"
#include "core/analyze/report/near_critical.h"
#include "core/analyze/report/period_report.h"
#include "core/analyze/report/slow_iterations.h"
#include "core/base/kept_memory.h"
#include "core/measure/typical_iteration.h"
#include "core/model/separate_jobs.h"
#include "core/model/step_marks.h"
#include "core/predict/prediction_base.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace core {

namespace {

    std::optional<IterationGroups> groupsOf(const Trace &trace,
                                            const std::optional<PeriodReport> &period,
                                            const JobControl &control)
    {
        std::optional<IterationGroups> groups = iterationGroups(commonIterations(trace), control);
        if (groups && period) {
            groups->periodLength = period->length;
            groups->areKinds = areKinds(*groups, *period);
        }
        return groups;
    }

    std::vector<std::string> rankRemarks(const Trace &trace, const Diagnosis &diagnosis)
    {
        const Graph &graph = *diagnosis.selfReplay.graph;
        const IterationWords words(trace, graph.iterationCount);
        std::vector<std::string> remarks = lateRankLines(trace, diagnosis, words);
        std::set<int> explained; // what makes these late is told already
        for (const RankSlowdown &rank : diagnosis.stragglers.ranks) {
            const std::string start = "Rank " + std::to_string(rank.rank) + " is late ";
            if (std::any_of(remarks.begin(), remarks.end(),
                            [&start](const auto &line) { return line.starts_with(start); }))
                explained.insert(rank.rank);
        }
        for (std::string &line :
             slowRankLines(diagnosis.stragglers, words, OwnWorkWords(graph), explained))
            remarks.push_back(std::move(line));
        return remarks;
    }

} // namespace

Diagnosis diagnose(const Trace &trace, std::shared_ptr<const Graph> graph,
                   const JobControl &control)
{
    Diagnosis diagnosis;
    control.report(0, "collectives");
    const SeparateJobs jobs = separateJobs(trace);
    diagnosis.isOfOneJob = !jobs.areSeveral();
    if (diagnosis.isOfOneJob) {
        diagnosis.collectives = collectiveReports(trace, *graph->matched, control.part(0, 0.1));
        diagnosis.transfers = sliceTransfers(trace, *graph);
    }
    control.report(0.1, "breakdowns");
    std::vector<WorkerActivity> activities
        = workerActivities(trace, diagnosis.transfers, control.part(0.1, 0.15));
    diagnosis.ranks = rankDiagnoses(trace, diagnosis.transfers, activities, diagnosis.collectives);
    diagnosis.hasIterations = hasKnownIterations(trace);
    if (!diagnosis.isOfOneJob) {
        diagnosis.verdict = separateJobsHeadline(trace, jobs);
        diagnosis.selfReplay.trust = TrustLevel::Poor;
        diagnosis.selfReplay.trustReason = separateJobsText(trace, jobs);
        diagnosis.selfReplay.trustReasons = { diagnosis.selfReplay.trustReason };
        return diagnosis;
    }
    diagnosis.operations = longestOperations(trace, control);
    diagnosis.groups = processGroups(trace, control);
    blameLastRanks(*graph, diagnosis.collectives);
    Predictor predictor(trace, graph, activities, control.part(0.2, 0.3));
    releaseMemory(activities); // as large as the trace
    const PredictionBase &base = predictor.base();
    diagnosis.selfReplay = predictor.predictJudged({}, control.part(0.3, 0.4));
    diagnosis.criticalPath = criticalPathReport(trace, diagnosis.selfReplay, control);
    diagnosis.nearCritical
        = nearCriticalReport(trace, diagnosis.selfReplay, control.part(0.4, 0.45));
    std::vector<DelayParts> delays = delayParts(trace, *base.graph);
    diagnosis.stragglers = stragglerReport(trace, predictor, delays, control.part(0.45, 0.5));
    diagnosis.hostGaps = hostGaps(trace, *base.graph, delays);
    diagnosis.period = periodReport(trace, diagnosis.selfReplay.measuredNs);
    diagnosis.iterationGroups = groupsOf(trace, diagnosis.period, control);
    if (diagnosis.iterationGroups)
        diagnosis.slowIterationsCause = slowIterationsCause(trace, *base.graph, delays, diagnosis);
    releaseMemory(delays); // as large as the graph
    diagnosis.blindSpots = blindSpots(trace, diagnosis.criticalPath, diagnosis.ranks);
    const BottleneckInput input { trace, graph, predictor, diagnosis };
    diagnosis.bottlenecks = findBottlenecks(input, control.part(0.5, 1));
    diagnosis.rankRemarks = rankRemarks(trace, diagnosis);
    Verdict verdict = verdictOf(input, diagnosis.bottlenecks);
    diagnosis.verdict = std::move(verdict.sentence);
    diagnosis.verdictRemarks = std::move(verdict.remarks);
    diagnosis.verdictKind = std::move(verdict.kind);
    diagnosis.predictor = std::make_shared<const Predictor>(std::move(predictor));
    control.report(1, "diagnosis");
    return diagnosis;
}

} // namespace core
