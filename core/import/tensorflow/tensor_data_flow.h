#pragma once

#include "core/import/execution_trace/execution_trace_node.h"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace core {

/// Finds who reads what whom wrote, from the nodes of an execution trace in the order of the file.
///
/// A node is written when its op ends, so the ops inside of one come before it; ids are given when
/// an op starts, from one counter for ops, tensors and storages. An op thus began after another one
/// ended if it has the larger id and comes later in the file.
///
/// A read depends on the last op that produced the tensor and on the last one that wrote to its
/// storage, whichever view it wrote through. Making a view writes nothing, and giving an input out
/// again as it is produces nothing: which arguments an op writes to is told by its schema; without
/// one (autograd, record_param_comms) it writes to the inputs that it also gives out. Of nested ops
/// that give a tensor out the outermost that has ended is the producer (the inner one may have done
/// no more than allocate it), and all that list the tensor are readers.
class TensorDataFlow
{
public:
    /// mostTracked: tensors and storages that are remembered; beyond it new ones are not followed.
    explicit TensorDataFlow(std::size_t mostTracked)
        : m_mostTracked(mostTracked)
    {
    }

    /// The ids of the nodes whose data `node` reads, each once, ascending. The node's own writes
    /// count from then on.
    const std::vector<std::uint64_t> &add(const ExecutionTraceNode &node);
    /// Whether no further ones can be followed.
    bool isFull() const { return m_producers.size() + m_writers.size() >= m_mostTracked; }

private:
    using Ops = std::unordered_map<std::uint64_t, std::uint64_t>;

    struct Argument
    {
        TensorValue value;
        bool isMutated = false;
    };

    void collectArguments(const ExecutionTraceNode &node);
    void addReads(const ExecutionTraceNode &node);
    void addWrites(const ExecutionTraceNode &node);
    void note(Ops &ops, std::uint64_t key, std::uint64_t node) const;

    const std::size_t m_mostTracked;
    Ops m_producers; ///< tensor -> the op that gave it out
    Ops m_writers; ///< storage -> the op that last wrote to it in place
    std::vector<Argument> m_arguments; ///< of the current node
    std::vector<std::uint64_t> m_results; ///< tensors that it gives out, ascending
    std::vector<std::uint64_t> m_passedOn; ///< tensors that it gives out unchanged, if at all
    std::vector<std::uint64_t> m_sources;
};

} // namespace core
