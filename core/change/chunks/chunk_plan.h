#pragma once

#include "core/change/chunks/planned_chunks.h"
#include "core/change/transfers/link_changes.h"
#include "core/change/transfers/link_rates.h"
#include "core/fit/links/link_model.h"
#include "core/fit/links/transfer_models.h"
#include "core/graph/build/schedule_times.h"
#include "core/graph/collectives/collective_schedule.h"
#include "core/graph/graph.h"
#include "core/measure/group_places.h"
#include "core/model/trace.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace core {

/// The chunks of collectives that are alike but for how long they take.
struct ChunkPlan
{
    CollectiveSchedule schedule; ///< empty: the collective stays one op
    ScheduleTimes times; ///< with the wanted rates, in ns by the link's model
    double measuredSpan = 0; ///< how long all of it takes with the measured rates, in the same unit

    /// For a collective that as measured takes `spanNs`. A delay of the transfer goes to the first
    /// chunk on each end of a link. Times are rounded so that chunks one behind the other add up.
    PlannedCollective planned(std::int64_t spanNs, std::int64_t delayNs) const;

private:
    std::int64_t scaledNs(double time, std::int64_t spanNs) const;
};

/// Plans the chunks of a graph's collectives; plans of alike ones are shared. Refers to its
/// arguments.
class ChunkPlanner
{
public:
    /// `mostTransfers`: of one collective.
    ChunkPlanner(const Trace &trace, const LinkModels &links, const LinkChanges &changes,
                 std::size_t mostTransfers);

    /// `places` are those of `node`, whose transfer was on `link`.
    std::shared_ptr<const ChunkPlan> planOf(const CollectiveNode &node, const GroupPlaces &places,
                                            DeviceId link);

private:
    /// Link, kind, algorithm, bytes, ranks.
    using Key
        = std::tuple<DeviceId, std::string, std::string, std::uint64_t, std::vector<WorkerId>>;

    CollectiveChoice choiceOf(const CollectiveNode &node) const;
    ChunkPlan makePlan(const ScheduleRequest &request, const std::vector<WorkerId> &workers,
                       const LinkModel *model) const;

    TransferModels m_models;
    const LinkChanges &m_changes;
    LinkRates m_rates;
    std::size_t m_mostTransfers;
    std::map<Key, std::shared_ptr<const ChunkPlan>> m_plans;
};

} // namespace core
