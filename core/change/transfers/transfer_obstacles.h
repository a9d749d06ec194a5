#pragma once

#include "core/fit/links/link_model.h"
#include "core/fit/links/link_models.h"
#include "core/fit/links/link_obstacles.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"

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

/// Why the number of ranks or the algorithm cannot be changed; empty if it can.
std::optional<std::string> worldSizeObstacle(const Graph &graph,
                                             const std::vector<LinkModel> &links);
std::optional<std::string> collectiveObstacle(const Graph &graph,
                                              const std::vector<LinkModel> &links);
/// What the ranks exchange is messages between two of them each, and nothing else.
bool hasOnlyMessages(const Graph &graph);

} // namespace core
