#include "core/graph/common_iterations.h"

#include "core/model/broken_off_iterations.h"
#include "core/model/world_size.h"

#include <map>
#include <optional>
#include <set>

namespace core {

namespace {

    /// Whose numbers are compared: ranks of the job that have iterations; the others have
    /// nothing to replay.
    std::set<WorkerId> comparedWorkers(const Trace &trace)
    {
        const std::optional<int> worldSize = statedWorldSize(trace);
        std::set<WorkerId> compared;
        for (const Iteration &iteration : trace.iterations)
            if (!isOfOtherJob(trace.workers[iteration.worker.value], worldSize))
                compared.insert(iteration.worker);
        return compared;
    }

} // namespace

std::vector<Iteration> commonIterations(const Trace &trace, std::vector<std::string> &notes)
{
    const std::set<std::size_t> broken = brokenOffIterations(trace);
    const std::set<WorkerId> compared = comparedWorkers(trace);
    std::map<std::int64_t, std::set<WorkerId>> recordedBy;
    for (std::size_t i = 0; i < trace.iterations.size(); ++i)
        if (!broken.contains(i) && compared.contains(trace.iterations[i].worker))
            recordedBy[trace.iterations[i].index].insert(trace.iterations[i].worker);
    std::vector<Iteration> common;
    for (const Iteration &iteration : trace.iterations)
        if (recordedBy[iteration.index].size() == compared.size())
            common.push_back(iteration);
    if (common.empty())
        return trace.iterations;
    for (const std::size_t i : broken)
        notes.push_back("The trace of rank "
                        + std::to_string(trace.workers[trace.iterations[i].worker.value].rank)
                        + " breaks off inside of iteration "
                        + std::to_string(trace.iterations[i].index)
                        + ", which is left out of the replay on every rank.");
    if (common.size() < trace.iterations.size())
        notes.push_back(
            std::to_string(trace.iterations.size() - common.size())
            + " iterations were not recorded whole by every rank and are left out of the replay.");
    return common;
}

} // namespace core
