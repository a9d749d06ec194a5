#pragma once

#include "core/graph/graph.h"

#include <cstdint>
#include <span>
#include <vector>

namespace core {

/// The graph's edges by the op that they come from.
class Successors
{
public:
    explicit Successors(const Graph &graph);

    /// The ops that wait for `op`, in order of id.
    std::span<const std::uint32_t> of(std::uint32_t op) const
    {
        return { m_ops.data() + m_offset[op], m_ops.data() + m_offset[op + 1] };
    }

private:
    std::vector<std::uint32_t> m_offset; ///< size ops + 1
    std::vector<std::uint32_t> m_ops;
};

} // namespace core
