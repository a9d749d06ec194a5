#include "core/fit/links/node_shape.h"

#include "core/measure/group_places.h"

namespace core {

bool hasUnknownPeers(const CollectiveNode &node)
{
    return node.name == MessageKind && !node.isMessage;
}

double wireBytes(std::string_view kind, std::uint64_t payloadBytes, std::size_t ranks)
{
    return transferShape(CollectiveAlgorithm::Ring, kind, static_cast<double>(payloadBytes),
                         static_cast<double>(ranks))
        .bytes;
}

std::optional<TransferShape> shapeOf(const CollectiveNode &node, std::string_view algorithm,
                                     double payloadBytes, double ranks, const Trace &trace)
{
    const bool isRing = algorithm.empty() || algorithm == "RING";
    return statedShape(algorithm, node.name, payloadBytes, ranks,
                       isRing ? std::nullopt : ranksOfHost(node, trace));
}

std::optional<TransferShape> shapeOf(const CollectiveNode &node, double payloadBytes, double ranks,
                                     const Trace &trace)
{
    return shapeOf(node, node.takenAlgorithm(), payloadBytes, ranks, trace);
}

double wireBytes(const CollectiveNode &node, std::string_view algorithm, std::uint64_t payloadBytes,
                 const Trace &trace)
{
    const auto known = shapeOf(node, algorithm, static_cast<double>(payloadBytes),
                               static_cast<double>(node.rankCount()), trace);
    return known ? known->bytes : wireBytes(node.name, payloadBytes, node.rankCount());
}

double wireBytes(const CollectiveNode &node, std::uint64_t payloadBytes, const Trace &trace)
{
    return wireBytes(node, node.takenAlgorithm(), payloadBytes, trace);
}

} // namespace core
