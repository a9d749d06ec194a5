#pragma once

#include "core/fit/links/link_models.h"

#include <vector>

namespace core {

/// What else the same transfers may say of their links, each reading with one thing changed: the
/// slowest bytes of the fit's interval; no latency; the longest of its interval; bytes as fast as
/// the line; the line's share of another rate; nothing but the line that takes time; one transfer
/// of a queue under way; partitions that take no time to hand over; the rate that the metadata
/// states where the transfers contradict it; and where ranks have no recording, two that take a
/// part of each transfer for waiting.
std::vector<LinkModels> otherReadings(const LinkModels &links);

/// A partition waits for its peers as long as the recorded transfers, however much smaller it is.
LinkModels withLatencyOfAllSizes(LinkModels links);

/// That others use the link during a transfer's alpha is not in the trace (as buckets of all
/// iterations overlap alike), nor what handing a partition over takes: at most it is alpha, with
/// the link idle. Partitions come one after the other then.
LinkModels withoutPipelining(LinkModels links);

} // namespace core
