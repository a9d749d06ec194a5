#pragma once

#include "core/fit/links/link_model.h"

#include <string>
#include <vector>

namespace core {

/// A link's fitted rate with the value of bandwidth_mbit that leaves it as it is:
/// "58.5 MB/s of data (bandwidth_mbit=489 with TCP's headers)".
std::string linkRateText(const LinkModel &model);

/// A link's fitted latency with latencyDoubtText(). If it is the sum of several hops, with the
/// value of latency_us of one: "148.8 us latency (latency_us=10.63 for each of 14 hops)".
std::string linkLatencyText(const LinkModel &model);

/// Why a fitted latency is unsure: "unsure, 0 to 7.390 ms: two transfer sizes are too few"; empty
/// if it is not.
std::string latencyDoubtText(const LinkModel &model);

/// Why a latency is not known: "not known, 0 is used: all transfers have one size"; empty if it is.
std::string unknownLatencyText(const LinkModel &model);

/// Fitted rates of links: a sentence for each of the three that carried most bytes, and one for all
/// others.
std::vector<std::string> fittedLinkTexts(const std::vector<LinkModel> &links);
/// The algorithm of the transfers: "RING, as stated", "ring by NCCL's rule", "assumed to be rings:
/// the trace does not state the algorithm"; empty where there is no choice.
std::string linkAlgorithmText(const LinkModel &model);

} // namespace core
