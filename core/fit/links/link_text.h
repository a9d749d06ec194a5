#pragma once

#include "core/fit/links/link_model.h"

#include <string>
#include <vector>

namespace core {

/// A link's fitted rate, and beside it the nominal one that bandwidth_mbit sets where it can be
/// set: "468 Mbit/s of data; bandwidth_mbit counts it as 489 (with TCP's headers)".
std::string linkRateText(const LinkModel &model);

/// A link's fitted latency, and beside it what latency_us counts where that is not the same: "148.8
/// us latency (14 steps; latency_us counts one: 10.63)"; and latencyDoubtText(). Or that it is not
/// known.
std::string linkLatencyText(const LinkModel &model);

/// Why a fitted latency is unsure: "unsure, none to 7.390 ms: of two sizes that were sent any
/// latency fits"; empty where the transfers tell it, or that there is none.
std::string latencyDoubtText(const LinkModel &model);

/// Why a latency is not known: "not known (taken as none: the sizes that were sent do not tell
/// it)"; empty where it is.
std::string unknownLatencyText(const LinkModel &model);

/// What the rates of links were fitted from: a sentence for each of the three that carried most
/// bytes, and one for all others.
std::vector<std::string> fittedLinkTexts(const std::vector<LinkModel> &links);
/// How the transfers' bytes are taken to travel: "RING, as stated", "ring by NCCL's rule",
/// "taken as rings: the trace does not state the algorithm"; empty where there is no choice.
std::string linkAlgorithmText(const LinkModel &model);

} // namespace core
