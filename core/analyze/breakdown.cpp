#include "core/analyze/breakdown.h"

#include "core/analyze/iterations.h"
#include "core/analyze/rank_waits.h"
#include "core/model/by_worker.h"
#include "core/model/compared_iterations.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace core {

namespace {

    using Key = std::pair<WorkerId, std::optional<int>>;

    /// Intervals while they are collected.
    struct Collected
    {
        std::vector<TimeRange> compute, communication, memory;
        std::optional<TimeRange> window;

        void extendWindow(const TimeRange &range)
        {
            if (!window)
                window = range;
            window->startNs = std::min(window->startNs, range.startNs);
            window->endNs = std::max(window->endNs, range.endNs);
        }
    };

    std::set<WorkerId> workersWithAccelerator(const Trace &trace)
    {
        std::set<WorkerId> workers;
        for (std::size_t t = 0; t < trace.tracks.size(); ++t) {
            const auto &categories = trace.slices[t].category;
            if (std::any_of(categories.begin(), categories.end(), isDeviceActivity))
                workers.insert(trace.tracks[t].worker);
        }
        return workers;
    }

    bool isBackendRecord(const Trace &trace, NameId name)
    {
        return trace.nameOf(name).starts_with("gloo:");
    }

    std::set<WorkerId> workersWithBackendRecords(const Trace &trace)
    {
        std::set<WorkerId> workers;
        for (std::size_t t = 0; t < trace.tracks.size(); ++t)
            for (std::size_t row = 0; row < trace.slices[t].size(); ++row)
                if (trace.slices[t].category[row] == Category::CommOp
                    && isBackendRecord(trace, trace.slices[t].name[row]))
                    workers.insert(trace.tracks[t].worker);
        return workers;
    }

    void collectDevice(const SliceColumns &slices, Collected &device)
    {
        for (std::size_t row = 0; row < slices.size(); ++row) {
            const Category category = slices.category[row];
            if (!isDeviceActivity(category))
                continue;
            const TimeRange range { slices.startNs[row], slices.endNs(row) };
            device.extendWindow(range);
            if (category == Category::CommKernel)
                device.communication.push_back(range);
            else if (category == Category::Kernel)
                device.compute.push_back(range);
            else
                device.memory.push_back(range);
        }
    }

    /// Tools that time kernels and communication apart (dPRO, BytePS) have no communication kernel:
    /// there the communication rows are what a device's worker communicates.
    std::set<WorkerId> workersWithCommKernels(const Trace &trace)
    {
        std::set<WorkerId> workers;
        for (std::size_t t = 0; t < trace.tracks.size(); ++t) {
            const auto &categories = trace.slices[t].category;
            if (std::find(categories.begin(), categories.end(), Category::CommKernel)
                != categories.end())
                workers.insert(trace.tracks[t].worker);
        }
        return workers;
    }

    /// The lowest device of each worker that has streams with activity.
    std::map<WorkerId, int> firstDevicesOf(const Trace &trace)
    {
        std::map<WorkerId, int> first;
        for (std::size_t t = 0; t < trace.tracks.size(); ++t) {
            const Track &track = trace.tracks[t];
            if (track.kind != TrackKind::Stream)
                continue;
            const int device = track.device.value_or(0);
            const auto [known, isNew] = first.emplace(track.worker, device);
            known->second = std::min(known->second, device);
        }
        return first;
    }

    void collectCommunicationRow(const SliceColumns &slices, Collected &device)
    {
        for (std::size_t row = 0; row < slices.size(); ++row) {
            if (slices.category[row] != Category::CommOp)
                continue;
            const TimeRange range { slices.startNs[row], slices.endNs(row) };
            device.extendWindow(range);
            device.communication.push_back(range);
        }
    }

    void collectCpu(const Trace &trace, std::size_t track, bool onlyBackendRecords, Collected &cpu)
    {
        const TrackKind kind = trace.tracks[track].kind;
        if (kind == TrackKind::Annotation) // profiler spans last longer than the work
            return;
        const SliceColumns &slices = trace.slices[track];
        for (std::size_t row = 0; row < slices.size(); ++row) {
            const TimeRange range { slices.startNs[row], slices.endNs(row) };
            const Category category = slices.category[row];
            cpu.extendWindow(range);
            if (category == Category::CpuOp) {
                cpu.compute.push_back(range);
            } else if (category == Category::CommOp
                       && (!onlyBackendRecords || isBackendRecord(trace, slices.name[row]))) {
                cpu.communication.push_back(range);
            }
        }
    }

    std::string deviceName(const std::optional<int> &device)
    {
        return device ? "GPU " + std::to_string(*device) : "CPU";
    }

    /// All devices of one worker as if they were one.
    DeviceActivity together(const std::vector<const DeviceActivity *> &devices)
    {
        DeviceActivity all = *devices.front();
        for (const DeviceActivity *device : devices) {
            all.compute = all.compute.unitedWith(device->compute);
            all.communication = all.communication.unitedWith(device->communication);
            all.memory = all.memory.unitedWith(device->memory);
            all.window.startNs = std::min(all.window.startNs, device->window.startNs);
            all.window.endNs = std::max(all.window.endNs, device->window.endNs);
        }
        return all;
    }

    /// Until the iteration in which the recording breaks off: marks of its steps may last to the
    /// end of the job, and the work in them that is lost would be idle time.
    TimeRange recordedWhole(TimeRange window, const std::optional<std::int64_t> &brokenOffNs)
    {
        if (brokenOffNs && window.startNs < *brokenOffNs)
            window.endNs = std::min(window.endNs, *brokenOffNs);
        return window;
    }

    std::map<int, std::int64_t> exposedWaits(const DeviceActivity &device, const WorkerWaits &waits,
                                             const TimeRange &range)
    {
        return waitsByRank(
            waits, device.communication.clippedTo(range).without(device.compute.clippedTo(range)));
    }

    /// With what of the exposed communication is waiting.
    TimeBreakdown breakDown(const DeviceActivity &device, const WorkerWaits &waits,
                            const TimeRange &range)
    {
        TimeBreakdown time = core::breakDown(device, range);
        if (waits.isKnown) {
            time.exposedWaitNs = 0;
            for (const auto &[rank, ns] : exposedWaits(device, waits, range))
                *time.exposedWaitNs += ns;
        }
        return time;
    }

    /// Over `ranges`; zeroes where there are none.
    TimeBreakdown meanOf(const DeviceActivity &device, const WorkerWaits &waits,
                         const std::vector<TimeRange> &ranges)
    {
        TimeBreakdown mean;
        if (waits.isKnown)
            mean.exposedWaitNs = 0;
        const auto count = static_cast<std::int64_t>(std::max<std::size_t>(1, ranges.size()));
        for (const TimeRange &range : ranges) {
            const TimeBreakdown time = breakDown(device, waits, range);
            if (mean.exposedWaitNs)
                *mean.exposedWaitNs += *time.exposedWaitNs;
            for (const auto part :
                 { &TimeBreakdown::windowNs, &TimeBreakdown::computeNs, &TimeBreakdown::commNs,
                   &TimeBreakdown::overlapNs, &TimeBreakdown::exposedCommNs,
                   &TimeBreakdown::memOnlyNs, &TimeBreakdown::idleNs })
                mean.*part += time.*part / count;
        }
        if (mean.exposedWaitNs)
            *mean.exposedWaitNs /= count;
        return mean;
    }

    /// In the mean of `ranges`.
    std::vector<RankWait> meanWaits(const DeviceActivity &device, const WorkerWaits &waits,
                                    const std::vector<TimeRange> &ranges)
    {
        const auto count = static_cast<std::int64_t>(std::max<std::size_t>(1, ranges.size()));
        std::map<int, std::int64_t> byRank;
        for (const TimeRange &range : ranges)
            for (const auto &[rank, ns] : exposedWaits(device, waits, range))
                byRank[rank] += ns;
        std::vector<RankWait> mean;
        for (const auto &[rank, ns] : byRank)
            mean.push_back({ rank, ns / count });
        std::stable_sort(mean.begin(), mean.end(),
                         [](const RankWait &a, const RankWait &b) { return a.ns > b.ns; });
        return mean;
    }

    /// What is measured of the iterations of a trace.
    struct IterationRanges
    {
        std::vector<TimeRange> onDevice; ///< of each, in the raw clock
        std::set<std::pair<WorkerId, std::int64_t>> compared; ///< by their numbers
    };

    IterationRanges iterationRanges(const Trace &trace)
    {
        IterationRanges ranges { deviceIterationRanges(trace), {} };
        for (const Iteration &iteration : comparedIterations(trace).iterations)
            ranges.compared.emplace(iteration.worker, iteration.index);
        return ranges;
    }

    RankDiagnosis diagnoseRank(const Trace &trace, const Worker &worker,
                               const std::vector<const DeviceActivity *> &devices,
                               const WorkerWaits &waits, const IterationRanges &iterations)
    {
        RankDiagnosis rank;
        rank.worker = worker.id;
        rank.rank = worker.rank;
        if (devices.empty())
            return rank;
        std::optional<std::int64_t> brokenOffNs;
        const DeviceActivity all = together(devices);
        std::vector<TimeRange> compared;
        for (const Iteration &iteration : iterationsOf(trace.iterations, worker.id)) {
            const auto i = static_cast<std::size_t>(&iteration - trace.iterations.data());
            const TimeRange range = all.device ? iterations.onDevice[i] : iteration.range;
            if (!iteration.isWhole) {
                brokenOffNs = range.startNs;
                continue;
            }
            const bool isCompared = iterations.compared.contains({ worker.id, iteration.index });
            if (isCompared)
                compared.push_back(range);
            rank.iterations.push_back({ iteration.index,
                                        { trace.toAligned(worker.id, range.startNs),
                                          trace.toAligned(worker.id, range.endNs) },
                                        breakDown(all, waits, range),
                                        isCompared });
        }
        for (const DeviceActivity *device : devices)
            rank.devices.push_back(
                { deviceName(device->device),
                  breakDown(*device, waits, recordedWhole(device->window, brokenOffNs)),
                  meanOf(*device, waits, compared) });
        rank.waits = meanWaits(all, waits, compared);
        return rank;
    }

} // namespace

std::vector<DeviceActivity> deviceActivities(const Trace &trace, const JobControl &control)
{
    const std::set<WorkerId> accelerated = workersWithAccelerator(trace);
    const std::set<WorkerId> recorded = workersWithBackendRecords(trace);
    const std::set<WorkerId> withCommKernels = workersWithCommKernels(trace);
    const std::map<WorkerId, int> firstDevices = firstDevicesOf(trace);
    const auto firstDevice = [&firstDevices](WorkerId worker) {
        const auto found = firstDevices.find(worker);
        return found == firstDevices.end() ? 0 : found->second;
    };
    std::map<Key, Collected> collected;
    for (std::size_t t = 0; t < trace.tracks.size(); ++t) {
        throwIfCancelled(control);
        const Track &track = trace.tracks[t];
        if (accelerated.count(track.worker) == 0)
            collectCpu(trace, t, recorded.count(track.worker) > 0,
                       collected[{ track.worker, std::nullopt }]);
        else if (track.kind == TrackKind::Stream)
            collectDevice(trace.slices[t], collected[{ track.worker, track.device.value_or(0) }]);
        else if (track.kind == TrackKind::Communication && !withCommKernels.contains(track.worker))
            collectCommunicationRow(
                trace.slices[t],
                collected[{ track.worker, track.device.value_or(firstDevice(track.worker)) }]);
    }
    std::vector<DeviceActivity> activities;
    for (auto &[key, device] : collected) {
        if (!device.window)
            continue;
        activities.push_back({ key.first, key.second, IntervalSet(std::move(device.compute)),
                               IntervalSet(std::move(device.communication)),
                               IntervalSet(std::move(device.memory)), *device.window });
    }
    return activities;
}

TimeBreakdown breakDown(const DeviceActivity &activity, const TimeRange &range)
{
    const IntervalSet compute = activity.compute.clippedTo(range);
    const IntervalSet communication = activity.communication.clippedTo(range);
    const IntervalSet memory = activity.memory.clippedTo(range);
    const IntervalSet working = compute.unitedWith(communication);
    TimeBreakdown time;
    time.windowNs = range.durationNs();
    time.computeNs = compute.lengthNs();
    time.commNs = communication.lengthNs();
    time.overlapNs = compute.intersectedWith(communication).lengthNs();
    time.exposedCommNs = time.commNs - time.overlapNs;
    time.memOnlyNs = working.unitedWith(memory).lengthNs() - working.lengthNs();
    time.idleNs = time.windowNs - time.computeNs - time.exposedCommNs - time.memOnlyNs;
    return time;
}

std::vector<RankDiagnosis> rankDiagnoses(const Trace &trace,
                                         const std::vector<CollectiveReport> &collectives,
                                         const JobControl &control)
{
    const std::vector<WorkerWaits> waits = workerWaits(trace, collectives);
    const std::vector<DeviceActivity> activities = deviceActivities(trace, control);
    const IterationRanges iterations = iterationRanges(trace);
    std::vector<RankDiagnosis> ranks;
    std::vector<std::vector<const DeviceActivity *>> devices(trace.workers.size());
    for (const DeviceActivity &activity : activities)
        devices[activity.worker.value].push_back(&activity);
    for (const Worker &worker : trace.workers) {
        throwIfCancelled(control);
        ranks.push_back(diagnoseRank(trace, worker, devices[worker.id.value],
                                     waits[worker.id.value], iterations));
    }
    std::stable_sort(
        ranks.begin(), ranks.end(),
        [](const RankDiagnosis &a, const RankDiagnosis &b) { return a.rank < b.rank; });
    return ranks;
}

} // namespace core
