#pragma once

#include "core/import/execution_trace/chakra_node.h"
#include "core/import/op_name_sample.h"
#include "core/model/trace_sink.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace core {

/// Gives the nodes of one Chakra trace to a sink as dependencies and, where they have times,
/// slices.
class ChakraTranslator
{
public:
    /// Ids of nodes that are remembered, whatever the memory, to tell which are missing.
    static constexpr std::size_t MaximumIds = 32'000'000;

    /// Adds the file's worker to the sink, which must outlive the translator.
    ChakraTranslator(TraceSink &sink, std::string file);

    void addNode(const ChakraNode &node, std::uint64_t offset);
    /// After the last node: counts and what is missing.
    void finish();

private:
    /// A dependency on a node that did not come yet.
    struct Pending
    {
        std::uint64_t fromNode = 0; ///< id in the file
        std::uint64_t toKey = 0;
        DependencyKind kind = DependencyKind::Control;
    };

    void addDependencies(const ChakraNode &node, std::uint64_t key);
    void addDependency(DependencyKind kind, std::uint64_t fromKey, std::uint64_t toKey);
    /// How many nodes that others depend on are not in the file.
    std::uint64_t addPending();
    void addSlice(const ChakraNode &node, std::uint64_t offset);
    TrackId trackOf(const ChakraNode &node);
    /// Empty beyond m_mostIds.
    std::string transactionOf(const ChakraNode &node);
    void count(std::string_view code, Severity severity, std::uint64_t times,
               std::string_view message);

    TraceSink &m_sink;
    std::string m_file;
    WorkerId m_worker;
    const std::size_t m_mostIds; ///< in each of the three below
    std::array<std::uint64_t, 8> m_counts {}; ///< by ChakraNodeType
    std::unordered_map<std::uint64_t, std::uint64_t> m_keys; ///< by node id, chakraNodeKey()
    std::vector<Pending> m_pending;
    OpNameSample m_names;
    /// How many transfers a source, destination and tag had so far.
    std::map<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>, std::uint64_t> m_transfers;
    std::uint64_t m_untimedCount = 0;
    std::uint64_t m_duplicateCount = 0;
    std::uint64_t m_uncheckedCount = 0; ///< nodes that are not remembered
    std::uint64_t m_untiedCount = 0; ///< transfers beyond m_mostIds
    std::uint64_t m_unjoinedCount = 0; ///< dependencies beyond m_mostIds on nodes to come
};

} // namespace core
