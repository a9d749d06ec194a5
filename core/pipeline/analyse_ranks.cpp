#include "core/pipeline/analyse_ranks.h"

#include "core/align/align.h"
#include "core/analyze/iterations.h"
#include "core/model/broken_off_iterations.h"
#include "core/model/compared_iterations.h"
#include "core/model/separate_jobs.h"
#include "core/pipeline/file_clocks.h"
#include "core/pipeline/merged_collectives.h"
#include "core/pipeline/rank_checks.h"
#include "core/project/project_limits.h"
#include "core/project/write/project_writer.h"

#include <algorithm>

namespace core {

namespace {

    /// Clocks that the user set are to the reference of then; where a rank below it has come since,
    /// that one has a clock of its own, and the new reference none that is set.
    ClocksByHand moved(ClocksByHand byHand, const AlignmentReport &before,
                       const AlignmentReport &solved)
    {
        std::int64_t referenceNs = 0;
        for (const Alignment &clock : before.workers)
            if (clock.isReference)
                referenceNs = solved.workers[clock.worker.value].offsetNs;
        std::erase_if(byHand, [&solved](const Alignment &clock) {
            return solved.workers[clock.worker.value].isReference;
        });
        for (Alignment &clock : byHand)
            clock.offsetNs
                = std::clamp(clock.offsetNs + referenceNs, -MaxDurationNs, MaxDurationNs);
        return byHand;
    }

    /// From here on the project's times have the clocks of their files applied.
    void saveFileClocks(const std::filesystem::path &project, ProjectWriter &writer,
                        const OutlineLimit &limit, const JobControl &control)
    {
        const ProjectReader reader(project);
        if (!hasRankOfSeveralFiles(reader.info()))
            return;
        Trace trace = reader.readOutline(marksIteration, control, limit);
        const MergedCollectives merged = mergeFiles(trace, reader.info(), control);
        const std::vector<FileClock> found = findFileClocks(trace, merged, reader.info(), control);
        if (found != reader.info().fileClocks)
            writer.setFileClocks(found);
    }

} // namespace

void analyseRanks(const std::filesystem::path &project, ProjectWriter &writer,
                  const OutlineLimit &limit, const JobControl &control)
{
    saveFileClocks(project, writer, limit, control.part(0, 0.2));
    const ProjectReader reader(project);
    Trace trace = reader.readOutline(marksIteration, control.part(0.2, 0.5), limit);
    mergeFiles(trace, reader.info(), control);
    control.report(0.6, "align clocks");
    AlignmentReport solved = align(trace, control.part(0.6, 0.9));
    const ClocksByHand byHand = moved(reader.info().byHand, trace.alignment, solved);
    trace.alignment = withClocksByHand(trace, solved, byHand, control.part(0.9, 1));
    trace.iterations = detectIterations(trace);
    markBrokenOff(trace.iterations, reader.info().tracks,
                  { [&reader](TrackId track, const TimeRange &range) {
                       return reader.lastStartIn(track, range);
                   },
                    [&reader](TrackId track, const TimeRange &range) {
                        return reader.workIn(track, range);
                    } });
    trace.compared = comparedIterations(trace);
    const SeparateJobs jobs = separateJobs(trace);
    tellSeparateJobs(trace, jobs, solved);
    tellSeparateJobs(trace, jobs, trace.alignment);
    writer.setAlignment(solved);
    writer.setClocksByHand(byHand, trace.alignment);
    writer.setIterations(trace.iterations);
    replaceRankChecks(writer.diagnostics(), trace, fileClockDiagnostics(reader.info()));
}

void completeRanks(const ProjectInfo &info, Trace &trace, const JobControl &control)
{
    if (!info.unfinishedImport && !trace.alignment.workers.empty())
        return;
    const AlignmentReport solved = align(trace, control);
    const ClocksByHand byHand = moved(info.byHand, trace.alignment, solved);
    trace.alignment = withClocksByHand(trace, solved, byHand, control);
    trace.iterations = detectIterations(trace);
    markBrokenOff(trace);
    trace.compared = comparedIterations(trace);
}

} // namespace core
