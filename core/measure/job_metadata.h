#pragma once

#include "core/model/trace.h"

#include <optional>
#include <string>
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

/// What files tell of the job's accelerators (Kineto's deviceProperties, Nsight's list of GPUs).
struct Accelerators
{
    std::string name; ///< of the first; empty: not told
    int computeCapability = 0; ///< the least, 90 for 9.0; 0: not told
    double ofHost = 0; ///< the most in one file's list; 0: not told
    bool areAmds = false; ///< any is, the profiler was ROCm's, or kernels are ROCm's
};

Accelerators recordedAccelerators(const Trace &trace);

/// NCCL's version where a file states it (Kineto's distributedInfo, meta.json), as
/// NcclSystem::version: 221 for "2.21.5". Absent otherwise, and where it makes no sense.
std::optional<int> statedNcclVersion(const Trace &trace);

/// The size of slices, and how many bytes of them may be under way at once, where meta.json states
/// them.
std::optional<double> statedPartitionBytes(const Trace &trace);
std::optional<double> statedCreditBytes(const Trace &trace);

} // namespace core
