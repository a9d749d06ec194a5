#pragma once

#include "core/model/trace.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace core {

/// NodeType of Chakra's schema, by number.
enum class ChakraNodeType : std::uint8_t {
    Invalid,
    Metadata,
    MemoryLoad,
    MemoryStore,
    Compute,
    Send,
    Receive,
    Collective,
};

/// One node of a Chakra execution trace. Views point into what it was read from.
struct ChakraNode
{
    std::uint64_t id = 0;
    std::string_view name;
    ChakraNodeType type = ChakraNodeType::Invalid;
    /// Where forEachDependency() finds them: the whole message, or JSON's two lists.
    std::string_view message, controlDependencies, dataDependencies;
    /// Absent where the file has none; protobuf leaves out 0 as well.
    std::optional<std::uint64_t> startUs, durationUs;
    bool isOnHost = false; ///< is_cpu_op
    std::optional<std::uint64_t> recordFunction; ///< rf_id; 0 for processes and threads
    std::optional<std::uint64_t> collectiveType; ///< CollectiveCommType, by number
    std::uint64_t bytes = 0; ///< comm_size or tensor_size
    std::optional<std::uint64_t> source, destination, tag; ///< ranks and tag of a send or receive
    std::optional<std::uint64_t> thread, stream;
    std::string_view group;
};

/// Absent if the message is no node or is damaged.
std::optional<ChakraNode> chakraNodeFromProtobuf(std::string_view message);
/// A node of the JSON form, which has no start times ({"Id": 1, "Name": "aten::mul", "NodeType": 4,
/// ...}).
std::optional<ChakraNode> chakraNodeFromJson(std::string_view text);

/// SliceColumns::node of the node: its record function id where it is an op of the host that has
/// one, as Kineto writes it too, else executionTraceNodeKey() of its id. The pieces into which
/// chakra_trace_link cuts an op between its kernels ("aten::mm(0)", "aten::mm(1)") share one.
std::uint64_t chakraNodeKey(const ChakraNode &node);

/// The op's name as a timeline has it: without the number of a piece.
std::string_view chakraOpName(std::string_view nodeName);

/// Calls `use` with the id of every node that this one depends on in that way (Control or Data), in
/// the source's order. They are not collected: one list can have millions.
void forEachDependency(const ChakraNode &node, DependencyKind kind,
                       const std::function<void(std::uint64_t)> &use);

/// Whether the file's first bytes are Chakra's GlobalMetadata followed by a node.
bool startsAsChakraProtobuf(std::string_view head);

} // namespace core
