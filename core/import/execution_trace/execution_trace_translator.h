#pragma once

#include "core/import/category_counts.h"
#include "core/import/execution_trace/execution_trace_node.h"
#include "core/import/execution_trace/traced_collectives.h"
#include "core/import/op_name_sample.h"
#include "core/import/tensorflow/tensor_data_flow.h"
#include "core/model/trace_sink.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace core {

/// Gives the nodes of one execution trace to a sink as dependencies and, of a linked trace, slices.
/// Remembers numbers of every node, and names of some.
class ExecutionTraceTranslator
{
public:
    /// Ids of nodes that are remembered, and of tensors, whatever the memory; beyond it
    /// dependencies of further ones are left out.
    static constexpr std::size_t MaximumIds = 32'000'000;

    /// Adds the file's worker to the sink, which must outlive the translator.
    ExecutionTraceTranslator(TraceSink &sink, std::string file);

    void addNode(const ExecutionTraceNode &node, std::uint64_t offset);
    /// After the last node: counts, what the file says about the job, and what is missing.
    void finish();

private:
    /// A dependency on a node that did not come yet.
    struct Pending
    {
        std::uint64_t to = 0; ///< key
        DependencyKind kind = DependencyKind::Control;
    };

    void countLeftOut(std::uint64_t offset);
    void addDependency(DependencyKind kind, std::uint64_t fromNode, std::uint64_t toKey,
                       std::uint64_t offset);
    void addListed(std::string_view ids, std::uint64_t key, std::uint64_t offset);
    void addSlice(const ExecutionTraceNode &node, std::uint64_t key, std::uint64_t offset);
    void noteProcessGroups(const ExecutionTraceNode &node, std::uint64_t offset);
    void countNode(const ExecutionTraceNode &node);
    void reportAbsent();

    TraceSink &m_sink;
    std::string m_file;
    WorkerId m_worker;
    const std::size_t m_mostIds; ///< of nodes, those that did not come yet, and tensors each
    TensorDataFlow m_flow;
    std::unordered_map<std::uint64_t, std::uint64_t> m_keys; ///< by node id; 0: no op
    std::unordered_map<std::uint64_t, std::vector<Pending>> m_pending; ///< by id of the node
    std::size_t m_pendingCount = 0;
    CategoryCounts m_counts;
    OpNameSample m_names;
    TracedCollectives m_collectives;
    std::size_t m_groupBytes = 0; ///< of lists of process groups so far
    WorkerInfo m_info;
    std::uint64_t m_sliceCount = 0;
};

} // namespace core
