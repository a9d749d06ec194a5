#include "core/scenario/slice_cost.h"

#include "core/base/error.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace core {

namespace {

    double slicesUnderWay(const LinkModel &model, const Device &link, const SliceLimits &limits)
    {
        if (!model.isPipelined)
            return 1;
        const double most
            = model.isQueued ? model.queue.underWay : static_cast<double>(link.capacity);
        if (limits.creditBytes == 0)
            return most;
        const std::uint64_t slices = limits.creditBytes / limits.partitionBytes; // whole ones
        return std::clamp(static_cast<double>(slices), 1.0, most);
    }

} // namespace

SliceLimits sliceLimits(const ScenarioSettings &settings)
{
    SliceLimits limits;
    if (settings.partitionBytes)
        limits.partitionBytes = static_cast<std::uint64_t>(*settings.partitionBytes);
    if (settings.creditBytes)
        limits.creditBytes = static_cast<std::uint64_t>(*settings.creditBytes);
    return limits;
}

void checkOpsOfSlices(double ops, const SliceLimits &limits)
{
    constexpr double MostOps = 2e7;
    if (ops > MostOps)
        throw Error("schedule: slices of " + std::to_string(limits.partitionBytes)
                    + " bytes would be too many to replay. Take larger ones (partition_bytes).");
}

SliceCost costOfSlice(const LinkModel &model, const Device &link, const SliceLimits &limits,
                      double wireBytes)
{
    SliceCost cost;
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
        = { slicesUnderWay(model, link, limits), steadyNs + growth * (latencyNs - steadyNs) };
    return cost;
}

SliceCost costOfRecordedSlices(const LinkModel &model)
{
    return { model.queue, 0, model.lineNsPerByte };
}

} // namespace core
