#pragma once

#include "core/fit/links/link_model.h"

#include <optional>
#include <string>
#include <vector>

namespace core {

/// Why this link's rate cannot be changed; empty if it can, or if settings are not about it
/// (LinkModel::isWithinHost).
std::optional<std::string> rateObstacle(const LinkModel &model);

/// Why no rate in Mbit/s can be set, though it can be scaled: what one is counted as now is not
/// known. Empty if it can.
std::optional<std::string> statedRateObstacle(const LinkModel &model);

/// Why steps and bytes of transfers cannot be changed: an algorithm that NCCL states is not known
/// (see statedShape()). Empty if they can.
std::optional<std::string> algorithmObstacle(const std::vector<LinkModel> &links);

/// Why the link's latency cannot be changed; empty if it can.
std::optional<std::string> latencyObstacle(const LinkModel &model);

} // namespace core
