#pragma once

#include "core/graph/graph.h"

#include <cstdint>
#include <unordered_map>

namespace core {

/// The op whose end lets another begin, as measured. `graph` must outlive it.
class LastCauses
{
public:
    explicit LastCauses(const Graph &graph);

    /// Aligned. The work of a transfer that shared its link is less than the time that it took.
    std::int64_t measuredEndNs(OpId op) const;

    /// Of the predecessors the one that ended last; joins without duration hand on what they waited
    /// for. NoOp where there is none.
    OpId of(OpId op) const;

private:
    const Graph &m_graph;
    std::unordered_map<std::uint32_t, std::int64_t> m_transferEndNs; ///< by op
};

} // namespace core
