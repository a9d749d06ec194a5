#pragma once

#include "core/base/job_control.h"
#include "core/measure/device_activity.h"
#include "core/model/trace.h"

namespace core {

struct IterationBreakdown
{
    std::int64_t index = 0;
    TimeRange range; ///< aligned
    TimeBreakdown time; ///< over all devices of the worker together
    bool isCompared = true; ///< every rank has it whole: see ComparedIterations
};

/// What a worker's devices did, and in which of its iterations.
struct WorkerActivity
{
    std::vector<DeviceActivity> devices;
    DeviceActivity together; ///< all of them as if they were one
    std::vector<IterationBreakdown> iterations; ///< that it recorded whole
    std::vector<TimeRange> compared; ///< of those that are compared, in the raw clock
    /// Raw clock; where the last iteration begins, if the recording breaks off in it.
    std::optional<std::int64_t> brokenOffNs;
};

/// [workers]; the one place where measured time is divided: `diagnose` shows it by iteration,
/// `replay` and the window its mean.
std::vector<WorkerActivity> workerActivities(const Trace &trace, const SliceTransfers &transfers,
                                             const JobControl &control);

} // namespace core
