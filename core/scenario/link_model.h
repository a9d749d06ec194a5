#pragma once

#include "core/graph/graph.h"
#include "core/model/trace.h"
#include "core/scenario/scenario.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace core {

/// Bytes that one rank sends for a collective with `payloadBytes` at each of n ranks, by the ring
/// algorithm (see transferShape()).
double wireBytes(std::string_view kind, std::uint64_t payloadBytes, std::size_t ranks);

/// When the transfer of a collective was under way: from the last rank's arrival until the last
/// rank had left. Aligned.
TimeRange measuredTransfer(const Graph &graph, const CollectiveNode &node);

/// Models by (link device, kind of collective).
using LinkModels = std::map<std::pair<DeviceId, std::string>, LinkModel>;

/// Fits t = alpha + beta * wireBytes for every link and kind of collective from the trace's own
/// transfers. Transfers that overlap share the link, so the fit is over busy periods: n transfers
/// of W bytes in all that keep the link busy for T give T = n * alpha + W * beta, whatever the way
/// they share it. Least squares of the relative error; where all sizes are alike, or alpha or beta
/// come out negative, alpha is 0.
LinkModels fitLinks(const Graph &graph, const Trace &trace);

} // namespace core
