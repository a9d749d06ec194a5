#pragma once

#include "core/base/job_control.h"
#include "core/graph/graph.h"
#include "core/replay/replay.h"

#include <span>
#include <vector>

namespace core {

/// The replay of some ops of a graph as if all others had ended before and no other op took their
/// devices.
struct PartialReplay
{
    std::vector<OpId> ops; ///< in order of id, each once
    ReplayResult result; ///< by index into ops, also in `cause`; iterationEndNs is empty

    /// When the op ended; it must be one of `ops`.
    std::int64_t endNs(OpId op) const;
};

/// Of one tensor's communication ops it gives the time of their synchronisation, t_sync (dPRO §5),
/// as the makespan. Its cost grows with the number of `ops`, not with the graph.
/// Throws as replay() does.
PartialReplay replayPart(const Graph &graph, std::span<const OpId> ops, const JobControl &control);

} // namespace core
