#include "core/pipeline/align_by_hand.h"

#include "core/align/align.h"
#include "core/base/error.h"
#include "core/model/separate_jobs.h"
#include "core/pipeline/merged_collectives.h"
#include "core/project/project_limits.h"
#include "core/project/read/project_reader.h"
#include "core/project/write/clocks_by_hand.h"

#include <algorithm>
#include <map>

namespace core {

namespace {

    [[noreturn]] void fail(const std::string &what, const std::filesystem::path &project)
    {
        throw Error(what, { project.string(), {} });
    }

    const Alignment &clockOfRank(const ProjectReader &project, int rank)
    {
        const ProjectInfo &info = project.info();
        const auto worker = std::find_if(info.workers.begin(), info.workers.end(),
                                         [rank](const Worker &one) { return one.rank == rank; });
        if (worker == info.workers.end())
            fail("the project has no rank " + std::to_string(rank), project.path());
        return info.solvedAlignment.workers[worker->id.value];
    }

    Alignment clockByHand(const ProjectReader &project, int rank, std::int64_t offsetNs)
    {
        Alignment clock = clockOfRank(project, rank);
        if (clock.isReference)
            fail("rank " + std::to_string(rank)
                     + " is the reference: the offsets of the others are to its clock; set theirs",
                 project.path());
        if (offsetNs < -MaxDurationNs || offsetNs > MaxDurationNs)
            fail("an offset of rank " + std::to_string(rank) + " cannot be "
                     + std::to_string(offsetNs) + " ns; at most 2.3e18 (73 years) to either side",
                 project.path());
        clock.offsetNs = offsetNs;
        clock.uncertaintyNs = 0;
        clock.isAsRecorded = false;
        clock.isKnown = true;
        return clock;
    }

    ClocksByHand changed(const ProjectReader &project, const std::vector<ClockChange> &changes)
    {
        std::map<WorkerId, Alignment> byHand;
        for (const Alignment &clock : project.info().byHand)
            byHand[clock.worker] = clock;
        for (const ClockChange &change : changes) {
            const WorkerId worker = clockOfRank(project, change.rank).worker;
            if (change.offsetNs)
                byHand[worker] = clockByHand(project, change.rank, *change.offsetNs);
            else
                byHand.erase(worker);
        }
        ClocksByHand clocks;
        for (const auto &entry : byHand)
            clocks.push_back(entry.second);
        return clocks;
    }

} // namespace

void alignByHand(const std::filesystem::path &project, const std::vector<ClockChange> &changes,
                 const JobControl &control)
{
    ClocksByHand byHand;
    AlignmentReport used;
    { // no reader while the project is written to
        const ProjectReader reader(project);
        const ProjectInfo &info = reader.info();
        if (info.unfinishedImport || info.solvedAlignment.workers.size() != info.workers.size())
            fail(
                "the import of this project has not ended, so its clocks are not solved yet. First "
                    + std::string(HowToGoOn) + std::string(HowToDoWithout) + "; then set offsets",
                project);
        byHand = changed(reader, changes);
        const auto noName = [](std::string_view) { return false; };
        Trace trace
            = byHand.empty() ? Trace {} : readMergedOutline(reader, noName, control.part(0, 0.5));
        used = withClocksByHand(trace, info.solvedAlignment, byHand, control.part(0.5, 0.9));
        trace.alignment = used;
        tellSeparateJobs(trace, separateJobs(trace), used);
    }
    saveClocksByHand(project, byHand, used);
    control.report(1, "align clocks");
}

} // namespace core
