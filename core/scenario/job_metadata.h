#pragma once

#include "core/model/trace.h"

#include <optional>
#include <vector>

namespace core {

/// The nominal rate of the slowest inter-worker link in Mbit/s, where the bundle's meta.json states
/// it (`link_mbit`, a rate for each rank, else `bandwidth_mbit`). Absent without that file or key;
/// a malformed file counts as absent.
std::optional<double> nominalBandwidthMbit(const Trace &trace);

/// The nominal rate of each rank's link in Mbit/s, by rank (`link_mbit`); empty where it is not
/// stated for all.
std::vector<double> linkRatesMbit(const Trace &trace);

/// DDP's bucket_cap_mb that the job ran with, where meta.json states it.
std::optional<double> recordedBucketCapMb(const Trace &trace);

} // namespace core
