#pragma once

#include "core/base/job_control.h"
#include "core/graph/graph.h"
#include "core/measure/busy_times.h"
#include "core/model/trace.h"

#include <cstddef>
#include <vector>

namespace core {

/// How much ranks hold up each other's computation, as those do that take turns on a core or share
/// a memory: a framework op that takes t alone takes t * exp(sum of c * x) where x is the share of
/// its time in which a certain other rank's framework ops run, too. Two ranks on one core: c =
/// ln 2.
struct CoreContention
{
    std::size_t ranks = 0; ///< workers of the trace; 0: nothing is known
    std::vector<double> cost; ///< c, [ranks x ranks], row-major, symmetric, 0 on the diagonal

    double of(std::size_t worker, std::size_t other) const { return cost[worker * ranks + other]; }
};

/// The most ranks that are told apart: a pair of them is one unknown, and each op has a share of
/// time with each other rank.
inline constexpr std::size_t MostContendingRanks = 16;

/// When every rank's framework ops ran, aligned.
class FrameworkTimes
{
public:
    /// Throws Cancelled.
    FrameworkTimes(const Trace &trace, const JobControl &control);

    /// Tells x of one rank's ops, fastest in the order of their times. Refers to the times.
    class Reader
    {
    public:
        Reader(const FrameworkTimes &times, std::size_t worker);

        /// [workers], of an op at `range`: 0 for its own rank. Valid until the next call.
        const std::vector<double> &sharesOf(const TimeRange &range);

    private:
        const std::vector<BusyTimes> &m_busy;
        std::size_t m_worker;
        std::vector<BusyTimes::Place> m_places; ///< [workers]
        std::vector<double> m_shares; ///< [workers]
    };

private:
    std::vector<BusyTimes> m_busy; ///< [workers]
};

/// c of all pairs of ranks by one weighted regression of ln(duration) of framework ops on x and on
/// the share of time in which its interferingHostLink() carried data, within families of alike ops
/// (rank, name, input bytes). No c is negative, each has a normal prior around 0 as wide as ln 2,
/// each op counts by its duration, and their scatter is taken to be what it is without any
/// contention. Ranks of different hosts share nothing. `graph` has a CPU backend's link, and the
/// trace at least two ranks and at most MostContendingRanks.
/// Throws Cancelled.
CoreContention fitCoreContention(const Graph &graph, const Trace &trace,
                                 const FrameworkTimes &times, const JobControl &control);

} // namespace core
