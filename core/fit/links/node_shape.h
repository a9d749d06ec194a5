#pragma once

#include "core/fit/links/collective_cost.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace core {

/// Sends and receives of all ranks at once, of which it is not recorded who sends to whom: what
/// more ranks would send is not known.
bool hasUnknownPeers(const CollectiveNode &node);

/// Bytes that one rank sends for a collective with `payloadBytes` at each of n ranks, by the ring
/// algorithm (see transferShape()).
double wireBytes(std::string_view kind, std::uint64_t payloadBytes, std::size_t ranks);

/// By that algorithm (see statedShape()), for another payload; by a ring where that is not known.
/// All of one algorithm that is not known are then off by one factor.
double wireBytes(const CollectiveNode &node, std::string_view algorithm, std::uint64_t payloadBytes,
                 const Trace &trace);
/// By CollectiveNode::takenAlgorithm().
double wireBytes(const CollectiveNode &node, std::uint64_t payloadBytes, const Trace &trace);

/// By that algorithm, among `ranks` of its kind with `payloadBytes` at each.
std::optional<TransferShape> shapeOf(const CollectiveNode &node, std::string_view algorithm,
                                     double payloadBytes, double ranks, const Trace &trace);
/// By CollectiveNode::takenAlgorithm().
std::optional<TransferShape> shapeOf(const CollectiveNode &node, double payloadBytes, double ranks,
                                     const Trace &trace);

} // namespace core
