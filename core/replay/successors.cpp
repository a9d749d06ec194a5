#include "core/replay/successors.h"

namespace core {

Successors::Successors(const Graph &graph)
{
    const std::size_t n = graph.size();
    m_offset.assign(n + 1, 0);
    for (const Edge &edge : graph.preds)
        ++m_offset[edge.op.value + 1];
    for (std::size_t i = 0; i < n; ++i)
        m_offset[i + 1] += m_offset[i];
    m_ops.resize(graph.preds.size());
    std::vector<std::uint32_t> next(m_offset.begin(), m_offset.end() - 1);
    for (std::uint32_t i = 0; i < n; ++i)
        for (const Edge &edge : graph.predecessors(OpId(i)))
            m_ops[next[edge.op.value]++] = i;
}

} // namespace core
