#pragma once

#include "core/graph/graph.h"
#include "core/scenario/link_model.h"
#include "core/scenario/scenario.h"

#include <string_view>

namespace core {

/// TCP payload's share of a link's nominal rate: 1,448 bytes in each Ethernet frame that takes
/// 1,514 (RFC 9293 and RFC 7323: 20 bytes IP, 20 TCP, 12 timestamps, 14 Ethernet).
inline constexpr double TcpPayloadShare = 1448.0 / 1514.0;

/// Why no bandwidth can be set where no link could be fitted.
inline constexpr std::string_view NoLinkText
    = "it holds no collective that is matched across ranks and whose size is recorded. Import "
      "every rank of the job, recorded with record_shapes=True.";

/// The nominal rate that a link of the trace has: as metadata states it, else from the fitted rate
/// (of payload over TCP for a CPU backend's network).
double nominalMbit(const LinkModel &model);

/// The graph with the bandwidth part of every collective's transfer scaled; alpha stays.
/// `nominalMbit` is the new rate, or `scale` a factor on the measured one. Throws Error when the
/// trace has no transfer that tells the link's rate.
Graph scaleBandwidth(const Graph &graph, const LinkModels &links, const ScenarioSettings &settings);

} // namespace core
