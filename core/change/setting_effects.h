#pragma once

#include "core/change/settings.h"

namespace core {

/// Whether a setting is about the rate of links.
bool changesRate(const ScenarioSettings &settings);

/// Whether a setting is about transfers: bandwidth, latency, number of ranks, algorithm.
bool changesTransfers(const ScenarioSettings &settings);

/// Whether a setting is about which gradients are sent together, and when.
bool regroupsGradients(const ScenarioSettings &settings);

/// Whether a setting changes how often a transfer's latency is paid, or the latency.
bool restsOnLatency(const ScenarioSettings &settings);

/// Whether a setting is about how the work is shared among ranks.
bool changesShares(const ScenarioSettings &settings);

/// Whether transfers are predicted from the fit of measured ones: these settings, and those that
/// make other transfers.
bool restsOnLinks(const ScenarioSettings &settings);

} // namespace core
