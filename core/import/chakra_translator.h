#pragma once

#include "core/import/chakra_node.h"
#include "core/model/trace_sink.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_set>

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
    void addDependencies(const ChakraNode &node);
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
    std::unordered_set<std::uint64_t> m_seen;
    std::unordered_set<std::uint64_t> m_awaited; ///< nodes that others depend on and did not come
    /// How many transfers a source, destination and tag had so far.
    std::map<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>, std::uint64_t> m_transfers;
    std::uint64_t m_untimedCount = 0;
    std::uint64_t m_duplicateCount = 0;
    std::uint64_t m_uncheckedCount = 0; ///< nodes that are not remembered
    std::uint64_t m_untiedCount = 0; ///< transfers beyond m_mostIds
};

} // namespace core
