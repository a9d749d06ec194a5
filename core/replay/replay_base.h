#pragma once

#include "core/base/job_control.h"
#include "core/graph/graph.h"
#include "core/replay/checkpoint.h"
#include "core/replay/replay.h"
#include "core/replay/successors.h"

#include <memory>
#include <vector>

namespace core {

/// A replayed graph against which changes are tried: a graph that differs from it only by ops'
/// durations and delays is replayed from the first change on. What began before stays.
class ReplayBase
{
public:
    /// Throws as core::replay() does.
    ReplayBase(std::shared_ptr<const Graph> graph, const JobControl &control);

    const Graph &graph() const { return *m_graph; }
    const ReplayResult &result() const { return m_result; }

    /// The same as core::replay() of `changed`, exactly. A graph with other ops, edges or devices
    /// is replayed wholly. Several threads may call it. Throws as core::replay() does.
    ReplayResult replay(const Graph &changed, const JobControl &control) const;

private:
    std::int64_t firstChangeNs(const Graph &changed) const;
    const Checkpoint *lastCheckpointBefore(std::int64_t timeNs) const;

    std::shared_ptr<const Graph> m_graph;
    Successors m_successors;
    std::vector<Checkpoint> m_checkpoints; ///< in order of time
    ReplayResult m_result;
};

} // namespace core
