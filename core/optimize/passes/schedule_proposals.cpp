#include "core/optimize/passes/schedule_proposals.h"

#include "core/change/change_list.h"
#include "core/change/gradients/schedule.h"

#include <cmath>

namespace core {

namespace {

    double doublings(const std::optional<std::uint64_t> &bytes, std::uint64_t byDefault)
    {
        if (!bytes || byDefault == 0)
            return 0;
        return std::abs(std::log2(static_cast<double>(*bytes) / static_cast<double>(byDefault)));
    }

} // namespace

std::optional<std::string> scheduleObstacle(const Search &search, const std::string &schedule)
{
    return changeObstacle(search.predictor().job(), Change("schedule", schedule));
}

std::optional<std::int64_t> proposeSchedule(Search &search, const Strategy &start,
                                            const ScheduledSizes &sizes, const std::string &text,
                                            const std::string &reason)
{
    Strategy bare = start; // without the sizes of another schedule
    for (const char *key : { "schedule", "partition_bytes", "credit_bytes", "schedule_seed" })
        if (!search.request().environment.has(key))
            bare.remove(key);
    Strategy changes { { "schedule", sizes.schedule } };
    if (sizes.partitionBytes)
        changes.set({ "partition_bytes", static_cast<double>(*sizes.partitionBytes) });
    if (sizes.creditBytes)
        changes.set({ "credit_bytes", static_cast<double>(*sizes.creditBytes) });
    const ScheduleTraits &traits = traitsOf(*scheduleNamed(sizes.schedule));
    return search.propose(Search::with(bare, changes), text, reason,
                          doublings(sizes.partitionBytes, traits.partitionBytes)
                              + doublings(sizes.creditBytes, traits.creditBytes));
}

} // namespace core
