#pragma once

#include "core/graph/graph.h"
#include "core/model/trace.h"
#include "core/scenario/link_model.h"
#include "core/scenario/scenario.h"

#include <optional>
#include <string>
#include <vector>

namespace core {

/// Why no bandwidth can be set where no link could be fitted: which of matched collectives, matched
/// messages and their sizes the trace lacks.
std::string noLinkObstacle(const Graph &graph);

/// Why gradients cannot be reduced in other pieces: what an all-reduce of them costs is not known.
/// Empty if they can.
std::optional<std::string> reductionCostObstacle(const Graph &graph, const Trace &trace,
                                                 const LinkModels &links);

/// Why this link's rate cannot be changed; empty if it can, or if settings are not about it
/// (LinkModel::isWithinHost).
std::optional<std::string> rateObstacle(const LinkModel &model);

/// Why no rate in Mbit/s can be set, though it can be scaled: what one is counted as now is not
/// known. Empty if it can.
std::optional<std::string> statedRateObstacle(const LinkModel &model);

/// Why steps and bytes of transfers cannot be changed: an algorithm that NCCL states is not known
/// (see statedShape()). Empty if they can.
std::optional<std::string> algorithmObstacle(const std::vector<LinkModel> &links);

/// Why the link's latency, the number of ranks or the algorithm cannot be changed; empty if it can.
std::optional<std::string> latencyObstacle(const LinkModel &model);
std::optional<std::string> worldSizeObstacle(const Graph &graph,
                                             const std::vector<LinkModel> &links);
std::optional<std::string> collectiveObstacle(const Graph &graph,
                                              const std::vector<LinkModel> &links);
/// What the ranks exchange is messages between two of them each, and nothing else.
bool hasOnlyMessages(const Graph &graph);

} // namespace core
