#pragma once

#include "core/import/execution_trace/execution_trace_node.h"
#include "core/model/trace_sink.h"

#include <cstdint>
#include <string>

namespace core {

/// What the nodes record_param_comms of one execution trace tell, for the Kineto trace of the same
/// run, which need not (TracedCollectivesKey).
class TracedCollectives
{
public:
    static constexpr std::size_t MostBytes = std::size_t { 4 } << 20; ///< of its lines

    /// Any node; `key` as SliceColumns::node. False where there is no room for what it tells.
    bool add(const ExecutionTraceNode &node, std::uint64_t key);
    /// After the last node. Nothing where there was none.
    void deliver(TraceSink &sink) const;

private:
    std::string m_lines;
};

} // namespace core
