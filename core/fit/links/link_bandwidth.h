#pragma once

#include "core/fit/links/link_models.h"

#include <string>
#include <vector>

namespace core {

/// TCP payload's share of a link's nominal rate: 1,448 bytes in each Ethernet frame that takes
/// 1,514 (RFC 9293 and RFC 7323: 20 bytes IP, 20 TCP, 12 timestamps, 14 Ethernet).
inline constexpr double TcpPayloadShare = 1448.0 / 1514.0;

/// The least time of a byte of data by TCP on a link of that nominal rate.
double tcpNsPerByte(double nominalMbit);

/// The nominal rate of a link by its fitted one; see LinkModel::bandwidthMbit. Rounded to whole
/// Mbit/s, below 100 to three digits.
double derivedBandwidthMbit(const LinkModel &model);

/// Sets what bandwidth_mbit counts each link as: its nominal rate, else what is derived from the
/// fitted one of the kind that moves most bytes on its network, as others' rates say less of it.
void setBandwidths(LinkModels &models);

/// Whether a CPU backend's transfers, those of the kind that moves most bytes, had so little of the
/// rate which the metadata states (Mbit/s) that it cannot be their link's: less than two thirds of
/// what TCP can carry on it. Not where a rank has no recording, as waiting for it looks the same.
bool contradicts(const LinkModels &links, double statedMbit);

/// The network's model whose stated rate is not counted on; null where there is none.
const LinkModel *doubtedLink(const std::vector<LinkModel> &links);

/// "Transfers had 181 of the 400 Mbit/s that meta.json states (45 %)".
std::string doubtText(const LinkModel &model);

/// Of a CPU backend's link whose transfers had less than two thirds of the stated rate that is
/// counted on nevertheless (nominalMbit): why; `links` are all of the job's. Empty otherwise.
std::string keptRateText(const LinkModel &model, const std::vector<LinkModel> &links);

/// What that means for predictions, in sentences.
std::string doubtReason(const LinkModel &model);

} // namespace core
