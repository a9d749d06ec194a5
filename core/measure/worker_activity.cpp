#include "core/measure/worker_activity.h"

#include "core/model/by_worker.h"
#include "core/model/compared_iterations.h"
#include "core/model/device_iterations.h"

#include <algorithm>
#include <utility>

namespace core {

namespace {

    /// All devices of one worker as if they were one.
    DeviceActivity together(const std::vector<DeviceActivity> &devices)
    {
        DeviceActivity all = devices.front();
        for (const DeviceActivity &device : devices) {
            all.compute = all.compute.unitedWith(device.compute);
            all.communication = all.communication.unitedWith(device.communication);
            all.transfer = all.transfer.unitedWith(device.transfer);
            all.memory = all.memory.unitedWith(device.memory);
            all.isMatched = all.isMatched || device.isMatched;
            all.hasUnseen = all.hasUnseen || device.hasUnseen;
            all.window.startNs = std::min(all.window.startNs, device.window.startNs);
            all.window.endNs = std::max(all.window.endNs, device.window.endNs);
        }
        return all;
    }

    /// What is measured of the iterations of a trace.
    struct IterationRanges
    {
        std::vector<TimeRange> onDevice; ///< of each, in the raw clock
        NumbersOfWorkers compared;
    };

    void addIterations(const Trace &trace, const Worker &worker, const IterationRanges &ranges,
                       WorkerActivity &activity)
    {
        const DeviceActivity &all = activity.together;
        for (const Iteration &iteration : iterationsOf(trace.iterations, worker.id)) {
            const auto i = static_cast<std::size_t>(&iteration - trace.iterations.data());
            const TimeRange range = all.device ? ranges.onDevice[i] : iteration.range;
            if (!iteration.isWhole) {
                if (iteration.unrecordedLaunches == 0 && iteration.waitedForRecordingNs == 0)
                    activity.brokenOffNs = range.startNs;
                continue;
            }
            const bool isCompared = ranges.compared.contains({ worker.id, iteration.index });
            if (isCompared)
                activity.compared.push_back(range);
            activity.iterations.push_back({ iteration.index,
                                            { trace.toAligned(worker.id, range.startNs),
                                              trace.toAligned(worker.id, range.endNs) },
                                            breakDown(all, range),
                                            isCompared });
        }
    }

} // namespace

std::vector<WorkerActivity> workerActivities(const Trace &trace, const SliceTransfers &transfers,
                                             const JobControl &control)
{
    std::vector<WorkerActivity> all(trace.workers.size());
    for (DeviceActivity &device : deviceActivities(trace, transfers, control))
        all[device.worker.value].devices.push_back(std::move(device));
    const IterationRanges ranges { deviceIterationRanges(trace), comparedNumbers(trace) };
    for (const Worker &worker : trace.workers) {
        throwIfCancelled(control);
        WorkerActivity &own = all[worker.id.value];
        if (own.devices.empty())
            continue;
        own.together = together(own.devices);
        for (DeviceActivity &device : own.devices) {
            device.isMatched = own.together.isMatched;
            device.hasUnseen = own.together.hasUnseen;
        }
        addIterations(trace, worker, ranges, own);
    }
    return all;
}

} // namespace core
