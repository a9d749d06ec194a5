#include "core/import/tensorflow/tf_partition_graphs.h"

#include "core/import/tensorflow/tf_ops.h"
#include "core/import/text/clean_text.h"

#include <vector>

namespace core {

namespace {

    constexpr std::size_t MaximumTransfers = 1'000'000;
    constexpr std::size_t BytesPerTransfer = 512; ///< about, without its names
    constexpr std::uint32_t NodeOfGraph = 1;

    /// A map entry's key, and its value's bytes or text (AttrValue.s).
    struct Attribute
    {
        std::string_view key, text;
    };

    Attribute attributeIn(std::string_view message)
    {
        Attribute attribute;
        for (ProtobufFields field(message); field.next();) {
            if (field.number() == 1)
                attribute.key = field.bytes();
            if (field.number() != 2 || !field.isBytes())
                continue;
            for (ProtobufFields value(field.bytes()); value.next();) {
                if (value.number() == 2)
                    attribute.text = value.bytes();
            }
        }
        return attribute;
    }

    bool isSendOp(std::string_view op)
    {
        return op == "_Send" || op == "_HostSend";
    }

    bool isRecvOp(std::string_view op)
    {
        return op == "_Recv" || op == "_HostRecv";
    }

} // namespace

void TfPartitionGraphs::readGraph(ProtobufStream &stream)
{
    stream.enter();
    while (stream.next()) {
        if (stream.number() != NodeOfGraph || !stream.isBytes())
            continue;
        ++m_nodeCount;
        if (const auto message = stream.bytes())
            addNode(*message);
        else
            ++m_hugeNodeCount;
    }
    stream.leave();
}

void TfPartitionGraphs::addNode(std::string_view message)
{
    std::string name, op, device;
    std::vector<std::string> inputs;
    Attributes attributes;
    for (ProtobufFields field(message); field.next();) {
        if (!field.isBytes())
            continue;
        if (field.number() == 1) {
            name = cleanText(field.bytes());
        } else if (field.number() == 2) {
            op = cleanText(field.bytes());
        } else if (field.number() == 3) {
            inputs.push_back(cleanText(field.bytes()));
        } else if (field.number() == 4) {
            device = cleanText(field.bytes());
        } else if (field.number() == 5) {
            const Attribute attribute = attributeIn(field.bytes());
            if (attribute.key == "tensor_name")
                attributes.tensor = attribute.text;
            else if (attribute.key == "send_device")
                attributes.sendDevice = attribute.text;
            else if (attribute.key == "recv_device")
                attributes.recvDevice = attribute.text;
        }
    }
    const WorkerId worker = m_rows.tasks().worker(m_rows.device(device));
    for (const std::string &input : inputs)
        m_rows.addDependency(worker, name, op, input);
    if (isSendOp(op) || isRecvOp(op))
        addTransfer(name, isSendOp(op), attributes);
}

void TfPartitionGraphs::addTransfer(std::string_view node, bool isSend,
                                    const Attributes &attributes)
{
    if (attributes.tensor.empty())
        return;
    const std::string edge = std::string(attributes.tensor) + ' '
        + std::string(attributes.sendDevice) + ' ' + std::string(attributes.recvDevice);
    if (!m_transfers.contains(node) || !m_cuts.contains(edge)) {
        const std::size_t size = BytesPerTransfer + 2 * node.size() + 3 * edge.size();
        if (m_transfers.size() >= MaximumTransfers || m_heldBytes + size > m_mostBytes) {
            m_rows.countLeftOut(
                "too-many-transfers",
                "the graphs have more than a million _Send and _Recv nodes, or more than the "
                "import may hold: what the further ones carry is not known. Record fewer sessions, "
                "or import again with a larger --memory-limit (longpole import)");
            return;
        }
        m_heldBytes += size;
    }
    Cut &cut = m_cuts[edge];
    cut.sendDevice = cleanText(attributes.sendDevice);
    cut.recvDevice = cleanText(attributes.recvDevice);
    (isSend ? cut.send : cut.recv) = node;
    m_transfers.insert_or_assign(std::string(node),
                                 Transfer { isSend, cleanText(attributes.tensor),
                                            isSend ? cut.recvDevice : cut.sendDevice });
    if (!cut.send.empty() && !cut.recv.empty())
        joinWithinTask(cut);
}

/// Between devices of one task an edge that was cut is still a dependency of its nodes; between
/// tasks it is a transfer.
void TfPartitionGraphs::joinWithinTask(const Cut &cut)
{
    const TfDevice &sender = m_rows.device(cut.sendDevice);
    if (areOfOneTask(sender, m_rows.device(cut.recvDevice)))
        m_rows.addDependency(m_rows.tasks().worker(sender), cut.recv, "_Recv", cut.send);
}

const TfPartitionGraphs::Transfer *TfPartitionGraphs::transferOf(std::string_view node) const
{
    const auto found = m_transfers.find(node);
    return found == m_transfers.end() ? nullptr : &found->second;
}

} // namespace core
