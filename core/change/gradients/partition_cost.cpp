#include "core/change/gradients/partition_cost.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace core {

namespace {

    /// Each takes 4 to 10 us and 330 to 580 bytes to build, replay and judge (measured with -O3):
    /// up to ten seconds and half a gigabyte.
    constexpr double MostOpsOfPartitions = 1e6;

    double partitionsUnderWay(const LinkModel &model, const Device &link,
                              const PartitionLimits &limits)
    {
        if (!model.isPipelined)
            return 1;
        const double most
            = model.isQueued ? model.queue.underWay : static_cast<double>(link.capacity);
        if (limits.creditBytes == 0)
            return most;
        const std::uint64_t partitions = limits.creditBytes / limits.partitionBytes; // whole ones
        return std::clamp(static_cast<double>(partitions), 1.0, most);
    }

} // namespace

PartitionLimits partitionLimits(const PartitionChanges &changes)
{
    const ScheduleTraits &traits = traitsOf(changes.schedule.value_or(Schedule::P3));
    PartitionLimits limits { traits.partitionBytes, traits.creditBytes };
    if (changes.partitionBytes)
        limits.partitionBytes = static_cast<std::uint64_t>(*changes.partitionBytes);
    if (changes.creditBytes)
        limits.creditBytes = static_cast<std::uint64_t>(*changes.creditBytes);
    return limits;
}

void checkOpsOfPartitions(const std::function<double(std::uint64_t)> &opsOf,
                          const PartitionLimits &limits)
{
    if (opsOf(limits.partitionBytes) <= MostOpsOfPartitions)
        return;
    const std::string tooMany = "partition_bytes=" + std::to_string(limits.partitionBytes)
        + " would make more partitions than can be replayed. ";
    std::uint64_t tooSmall = limits.partitionBytes, enough = WholeTensors;
    if (opsOf(enough) > MostOpsOfPartitions)
        throw TooManyPartitions(tooMany
                                + "The recording is too long for any: record fewer iterations.");
    while (enough - tooSmall > 1) {
        const std::uint64_t middle = tooSmall + (enough - tooSmall) / 2;
        (opsOf(middle) > MostOpsOfPartitions ? tooSmall : enough) = middle;
    }
    throw TooManyPartitions(tooMany
                            + "The smallest that this trace allows: "
                              "partition_bytes="
                            + std::to_string(enough) + ".");
}

PartitionCost costOfPartition(const LinkModel &model, const Device &link,
                              const PartitionLimits &limits, double wireBytes)
{
    PartitionCost cost;
    // Where the line's rate is not known, alpha is all that is known not to go with bytes.
    const bool isLineKnown = model.queue.latencyNs > 0;
    cost.nsPerByte = isLineKnown ? model.lineNsPerByte : model.betaNsPerByte;
    cost.handOverNs = model.handOverNs;
    const double recordedBytes = model.isQueued ? model.queuedBytes : model.meanBytes;
    const double growth
        = recordedBytes > 0 ? std::pow(wireBytes / recordedBytes, model.latencyGrowth) : 1;
    const double latencyNs = isLineKnown ? model.queue.latencyNs : model.alphaNs;
    const double steadyNs = std::min(latencyNs, model.steadyLatencyNs);
    cost.queue
        = { partitionsUnderWay(model, link, limits), steadyNs + growth * (latencyNs - steadyNs) };
    return cost;
}

PartitionCost costOfRecordedPartitions(const LinkModel &model)
{
    return { model.queue, 0, model.lineNsPerByte };
}

} // namespace core
