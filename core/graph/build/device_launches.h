#pragma once

#include "core/base/time_range.h"
#include "core/graph/build/graph_context.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace core {

/// Device ops by when the host launched them. Times are aligned. Device ops whose launch is not
/// recorded are not there.
class DeviceLaunches
{
public:
    /// The context must outlive it.
    explicit DeviceLaunches(const GraphContext &context);

    /// When the call began that launched the op; empty where it is not recorded.
    std::optional<std::int64_t> launchedNs(OpId op) const;
    /// The first op that the worker launched in that time, on any stream.
    std::optional<OpId> firstIn(WorkerId worker, const TimeRange &range) const;
    /// The first kernel (no copy, no collective) that the worker launched then or later.
    std::optional<OpId> firstKernelFrom(WorkerId worker, std::int64_t ns) const;
    /// The stream that the worker launched a kernel (no copy, no collective) on last before then.
    std::optional<DeviceId> streamOfKernelBefore(WorkerId worker, std::int64_t ns) const;
    /// Of the ops on a stream the first one launched then or later.
    std::optional<OpId> firstFrom(DeviceId stream, std::int64_t ns) const;
    /// Of the ops on a stream the last one launched before then: what a stream that is made to wait
    /// by an event recorded then waits for.
    std::optional<OpId> lastBefore(DeviceId stream, std::int64_t ns) const;

private:
    struct Launch
    {
        std::int64_t ns;
        OpId op;
    };

    static std::vector<Launch>::const_iterator firstIn(const std::vector<Launch> &launches,
                                                       std::int64_t fromNs);

    std::vector<std::vector<Launch>> m_ofWorker; ///< by WorkerId; by time
    std::vector<std::vector<Launch>> m_kernels; ///< the same, of kernels
    std::vector<std::vector<Launch>> m_ofStream; ///< by DeviceId; by time
    const GraphBuilder *m_builder;
    std::vector<std::optional<std::int64_t>> m_launchedNs; ///< by OpId
};

} // namespace core
