#pragma once

#include "core/graph/graph.h"
#include "core/replay/replay.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace core {

/// The ops of a graph's hosts by worker: what was recorded on threads. Refers to the graph.
class HostOps
{
public:
    explicit HostOps(const Graph &graph);

    const Graph &graph() const { return m_graph; }
    /// In the order of their ids.
    std::span<const std::uint32_t> of(WorkerId worker) const;

private:
    const Graph &m_graph;
    std::vector<std::size_t> m_offset; ///< [workers + 1] into m_ops
    std::vector<std::uint32_t> m_ops;
};

/// Where a replay has what a worker's host did at a measured time: what happened while an op ran
/// moves with that op, keeping its place in it; what happened between two ops of a thread stays
/// between them. Of several ops under way the one that began last is meant (ops of a thread do not
/// overlap; of two threads the one that has just begun is rarely the one that waits).
class ReplayedHostTime
{
public:
    /// `replayed` are those of the graph of `measured` or of a rewrite of it, `result` its replay.
    ReplayedHostTime(const HostOps &measured, const HostOps &replayed, const ReplayResult &result,
                     WorkerId worker);

    /// False where no op of the host is in both graphs.
    bool isKnown() const { return !m_ops.empty(); }
    /// Replay time of a measured (aligned) time; call in ascending order of `measuredNs`. Needs
    /// isKnown().
    std::int64_t at(std::int64_t measuredNs);

private:
    struct HostOp
    {
        std::int64_t measuredStartNs, measuredEndNs;
        std::int64_t replayStartNs, replayEndNs;
        std::uint32_t device;
        std::optional<std::size_t> next; ///< of the same thread, index into m_ops
    };

    void linkThreads();
    std::int64_t afterOp(const HostOp &op, std::int64_t measuredNs) const;

    std::vector<HostOp> m_ops; ///< by measured start
    std::vector<std::size_t> m_byEnd; ///< indices of m_ops by measured end
    std::vector<std::size_t> m_running; ///< begun, by start; those that ended are taken off late
    std::size_t m_begun = 0, m_ended = 0; ///< how many of m_ops and of m_byEnd
};

} // namespace core
