#pragma once

#include "core/base/job_control.h"
#include "core/fit/contention/core_contention.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"

#include <cstdint>
#include <unordered_map>

namespace core {

/// What another number of ranks does to computation on the hosts' own cores (a CPU backend's job):
/// ranks that share a core take turns on it.
class CoreSharing
{
public:
    /// `recorded`: the graph with un-stretched ops whose transfers are where they were measured.
    /// Throws Cancelled.
    CoreSharing(const Graph &recorded, const Trace &trace, const JobControl &control);

    /// Whether ranks compute on cores that may be other ranks', too: not without a CPU backend, nor
    /// where each of several recorded ranks has a host of its own.
    bool mayShare() const { return m_mayShare; }

    double recordedRanks() const { return m_ranks; } ///< in the largest collective

    /// Of the ranks with whom a rank shares its cores, how many are left with `wanted` ranks, on
    /// average: any may be the ones that go. 1 for as many as are recorded and for more, whose
    /// cores are taken to be their own.
    double sharersLeft(double wanted) const;

    /// The graph with framework ops as long as when `left` of the sharers are there instead of
    /// `from` (both as sharersLeft() gives them).
    Graph withSharersLeft(Graph graph, double from, double left) const;

    /// The graph with framework ops as long as when all `wanted` ranks run on the recorded ranks'
    /// cores: `wanted` over the recorded ones in place of each, rounded up as ranks are whole.
    Graph withCrowdedCores(Graph graph, double wanted) const;

    /// As predicted for `wanted` ranks: with sharersLeft(), and with a note where it matters.
    Graph forRanks(Graph graph, double wanted) const;

    /// With a note where ranks that slow each other down have other shares of the work than in
    /// `before`: one that has more goes on alone, and faster, when its sharers are done, which ops
    /// as long as recorded do not tell.
    Graph withOtherSharesNoted(Graph graph, const Graph &before) const;

private:
    void setExponents(const Graph &recorded, const Trace &trace, const FrameworkTimes &times,
                      const JobControl &control);
    double exponentOf(std::size_t worker, const std::vector<double> &shares) const;
    double ranksOnCore(std::size_t worker) const;

    CoreContention m_contention;
    std::unordered_map<std::uint64_t, double> m_exponents; ///< by slice: alone it takes exp(-x)
    double m_ranks = 0;
    bool m_mayShare = false;
};

} // namespace core
