#pragma once

#include "core/base/time_range.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"
#include "core/replay/replay.h"

#include <cstdint>
#include <string>
#include <vector>

namespace core {

/// How well a schedule fills its devices (TicTac §3.2). With U the time of all ops in series, L
/// the load of the busiest device and m the time that the schedule takes:
///
///     E = (U - m) / (U - L)     1: m = L, nothing could be faster; 0: m >= U, nothing overlaps
///     S = (U - L) / L           by how much more the best order could do in a time than the worst
///
/// An op's time is what it takes in the replay; a device that serves several at once is busy once.
/// So L is never above m. Where nothing could overlap (U = L), E is 1 and S is 0.
struct SchedulingEfficiency
{
    double efficiency = 1; ///< E, 0..1
    double speedup = 0; ///< S, 0 or more

    /// How much less than m the best order could take, 0..1: 1 - L / m, as m = L (1 + S (1 - E)).
    /// An upper bound: L leaves out what depends on what.
    double largestSaving() const;
    /// Whether other orders are worth a try. E does not tell that: ranks that work side by side
    /// bring it near to 1, whatever the order in each of them is.
    bool hasSaving() const { return largestSaving() >= WorthwhileSaving; }

    static constexpr double WorthwhileSaving = 0.1; ///< part of it is out of reach
};

/// A device beside the whole of its rank: as SchedulingEfficiency, with the device's own load for
/// L. E is 1 where the device is never idle.
struct DeviceEfficiency
{
    std::string device;
    std::int64_t loadNs = 0; ///< busy within the rank's iterations
    SchedulingEfficiency scheduling;
};

/// Of a rank the iterations that count, in order; times in ns of the replay.
using CountedIterations = std::vector<TimeRange>;

/// A rank's ops on its own devices and its transfers on links, within those of its own iterations
/// that the prediction counts: what a schedule without a barrier leaves to send after the last one
/// does not.
struct RankEfficiency
{
    int rank = 0;
    std::size_t iterations = 0; ///< that count
    std::int64_t makespanNs = 0; ///< of these
    SchedulingEfficiency scheduling;
    std::vector<DeviceEfficiency> devices; ///< largest load first; those with a load
};

/// Whether anything is sent between ranks, so that schedules and buckets, which reorder that, can
/// be tried at all.
bool hasCommunication(const Graph &graph);

/// Of all ranks together, while any of them is in one of the `iterations` [workers] that count.
SchedulingEfficiency schedulingEfficiency(const Graph &graph, const ReplayResult &result,
                                          const std::vector<CountedIterations> &iterations);

/// By rank.
std::vector<RankEfficiency> rankEfficiencies(const Trace &trace, const Graph &graph,
                                             const ReplayResult &result,
                                             const std::vector<CountedIterations> &iterations);

} // namespace core
