#pragma once

#include "core/graph/graph.h"
#include "core/model/trace.h"
#include "core/scenario/link_model.h"
#include "core/scenario/scenario.h"

#include <memory>
#include <optional>
#include <string>

namespace core {

/// `base` rewritten by the settings, in a fixed order: buckets or slices, the ranks' own work, then
/// transfers. With empty settings `base` itself. Throws Error when the trace does not support a
/// setting.
std::shared_ptr<const Graph> rewritten(const Trace &trace, std::shared_ptr<const Graph> base,
                                       const LinkModels &links, const ScenarioSettings &settings);

/// Why the host's time, the ranks' differences, the transfers' time or the input's cannot be
/// changed; empty if it can.
std::optional<std::string> hostObstacle(const Graph &graph);
std::optional<std::string> peersObstacle(const Graph &graph);
std::optional<std::string> commObstacle(const Graph &graph);
std::optional<std::string> inputObstacle(const Graph &graph);

} // namespace core
