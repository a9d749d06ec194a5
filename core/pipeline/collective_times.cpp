#include "core/pipeline/collective_times.h"

#include "core/analyze/report/collective_report.h"
#include "core/model/separate_jobs.h"

#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace core {

std::vector<CollectiveReport> collectivesOf(const LoadedProject &loaded, const JobControl &control)
{
    if (separateJobs(*loaded.trace).areSeveral())
        return {};
    return collectiveReports(*loaded.trace, *loaded.graph->matched, control);
}

CollectiveTimesSource collectiveTimesOf(const std::filesystem::path &project,
                                        const LoadedProject &loaded)
{
    return [project, loaded](const JobControl &control) {
        const LoadedProject known = loaded.graph ? loaded : loadProject(project, control);
        std::vector<CollectiveTime> times;
        for (const CollectiveReport &collective : collectivesOf(known, control))
            for (const CollectiveRankReport &part : collective.ranks)
                times.push_back({ part.slice, part.waitNs, part.transferNs, collective.group,
                                  collective.sequence, collective.lastRank });
        return times;
    };
}

CollectiveTimesSource computedOnce(CollectiveTimesSource source)
{
    struct Kept
    {
        std::mutex mutex;
        std::optional<std::vector<CollectiveTime>> times;
    };
    return
        [source = std::move(source), kept = std::make_shared<Kept>()](const JobControl &control) {
            const std::lock_guard lock(kept->mutex);
            if (!kept->times)
                kept->times = source(control);
            return *kept->times;
        };
}

} // namespace core
