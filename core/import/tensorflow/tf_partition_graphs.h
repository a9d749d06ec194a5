#pragma once

#include "core/import/tensorflow/tf_rows.h"
#include "core/import/text/protobuf_stream.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace core {

/// The graphs that TensorFlow cut a step into, one a device: dependencies by the names of nodes,
/// and what _Send and _Recv nodes carry between devices. Source: graph.proto, node_def.proto.
class TfPartitionGraphs
{
public:
    /// One end of an edge that was cut.
    struct Transfer
    {
        bool isSend = false;
        std::string tensor; ///< name of the edge
        std::string peer; ///< device of the other end
    };

    /// mostBytes: that it may hold.
    TfPartitionGraphs(TfRows &rows, std::size_t mostBytes)
        : m_rows(rows)
        , m_mostBytes(mostBytes)
    {
    }

    /// Reads the GraphDef that is the current field of the stream.
    void readGraph(ProtobufStream &stream);
    bool isEmpty() const { return m_nodeCount == 0; }
    /// Nodes of more than 16 MiB, which were left out (constants that hold weights).
    std::uint64_t hugeNodeCount() const { return m_hugeNodeCount; }
    /// What the node sends or receives; nullptr for other nodes.
    const Transfer *transferOf(std::string_view node) const;

private:
    struct Cut
    {
        std::string send, recv; ///< names of the nodes at its ends
        std::string sendDevice, recvDevice;
    };
    struct Attributes
    {
        std::string_view tensor, sendDevice, recvDevice;
    };

    void addNode(std::string_view message);
    void addTransfer(std::string_view node, bool isSend, const Attributes &attributes);
    void joinWithinTask(const Cut &cut);

    TfRows &m_rows;
    const std::size_t m_mostBytes;
    std::size_t m_heldBytes = 0; ///< of the next two, about
    std::map<std::string, Transfer, std::less<>> m_transfers; ///< by node
    std::map<std::string, Cut> m_cuts; ///< by tensor and both devices
    std::uint64_t m_nodeCount = 0, m_hugeNodeCount = 0;
};

} // namespace core
