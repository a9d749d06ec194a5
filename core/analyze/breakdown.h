#pragma once

#include "core/analyze/diagnosis.h"
#include "core/base/interval_set.h"
#include "core/base/job_control.h"
#include "core/model/trace.h"

#include <optional>
#include <vector>

namespace core {

/// When a device did what, in the raw clock of its worker.
struct DeviceActivity
{
    WorkerId worker;
    std::optional<int> device; ///< empty: the CPU, which trains without an accelerator
    IntervalSet compute, communication, memory;
    TimeRange window; ///< first start to last end of any activity
};

/// Every device that works: the accelerators by their streams or, for a worker without any, its
/// CPU: there compute is the framework's ops on host threads (not annotations, which also cover
/// waiting) and communication what its backend's threads record. Rows that a communication hook
/// writes by hand do not count beside the backend's own records. Sorted by worker, device.
std::vector<DeviceActivity> deviceActivities(const Trace &trace, const JobControl &control);

/// The parts of `range` (command line contract): compute + exposedComm + memOnly + idle = range.
TimeBreakdown breakDown(const DeviceActivity &activity, const TimeRange &range);

/// Breakdown of every rank by device over its window and in the mean compared iteration, and by
/// iteration over all of its devices together; without a last iteration in which the recording
/// breaks off (Iteration::isWhole). `collectives` are collectiveReports() of the trace: they tell
/// waiting from transfer.
std::vector<RankDiagnosis> rankDiagnoses(const Trace &trace,
                                         const std::vector<CollectiveReport> &collectives,
                                         const JobControl &control);

} // namespace core
