#include "core/scenario/device_activity.h"

#include "core/align/align.h"
#include "core/model/slice_index.h"

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
        std::vector<TimeRange> compute, communication, transfer, memory;
        std::optional<TimeRange> window;
        bool areWaitsKnown = false;

        void extendWindow(const TimeRange &range)
        {
            if (!window)
                window = range;
            window->startNs = std::min(window->startNs, range.startNs);
            window->endNs = std::max(window->endNs, range.endNs);
        }
    };

    /// The data of a slice that is no part of anything known is on its way all the time.
    struct TransferFinder
    {
        const SliceTransfers &bySlice;

        void add(const SliceColumns &slices, std::size_t row, Collected &device) const
        {
            const std::int64_t startNs = slices.startNs[row];
            device.communication.push_back({ startNs, slices.endNs(row) });
            const auto found = bySlice.find(slices.first.value + row);
            if (found == bySlice.end()) {
                device.transfer.push_back({ startNs, slices.endNs(row) });
                return;
            }
            device.areWaitsKnown = true;
            device.transfer.push_back(
                { startNs + found->second.beginNs, startNs + found->second.endNs });
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

    void collectDevice(const SliceColumns &slices, const TransferFinder &transfers,
                       Collected &device)
    {
        for (std::size_t row = 0; row < slices.size(); ++row) {
            const Category category = slices.category[row];
            if (!isDeviceActivity(category))
                continue;
            const TimeRange range { slices.startNs[row], slices.endNs(row) };
            device.extendWindow(range);
            if (category == Category::CommKernel)
                transfers.add(slices, row, device);
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

    void collectCommunicationRow(const SliceColumns &slices, const TransferFinder &transfers,
                                 Collected &device)
    {
        for (std::size_t row = 0; row < slices.size(); ++row) {
            if (slices.category[row] != Category::CommOp)
                continue;
            const TimeRange range { slices.startNs[row], slices.endNs(row) };
            device.extendWindow(range);
            transfers.add(slices, row, device);
        }
    }

    void collectCpu(const Trace &trace, std::size_t track, bool onlyBackendRecords,
                    const TransferFinder &transfers, Collected &cpu)
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
                transfers.add(slices, row, cpu);
            }
        }
    }

    SliceTransfer transferOf(const TimeRange &slice, const TimeRange &ofData, WorkerId awaited)
    {
        return { ofData.startNs - slice.startNs, ofData.endNs - slice.startNs,
                 std::clamp<std::int64_t>(ofData.startNs - slice.startNs, 0, slice.durationNs()),
                 awaited };
    }

    void addCollectives(const Trace &trace, const JobControl &control, SliceTransfers &transfers)
    {
        const SliceIndex slices(trace);
        std::vector<std::string> notes;
        for (const MatchedCollective &matched : matchCollectives(trace, notes, control)) {
            std::vector<std::pair<std::uint64_t, TimeRange>> parts;
            TimeRange last;
            WorkerId lastWorker;
            for (const std::size_t index : matched.calls) {
                const CollectiveCall &call = trace.collectives[index];
                const TimeRange part { trace.toAligned(call.worker, slices.startNs(call.slice)),
                                       trace.toAligned(call.worker, slices.endNs(call.slice)) };
                if (parts.empty() || part.startNs > last.startNs) {
                    last = part;
                    lastWorker = call.worker;
                }
                parts.emplace_back(call.slice.value, part);
            }
            if (parts.size() > 1)
                for (const auto &[slice, part] : parts)
                    transfers[slice] = transferOf(part, { last.startNs, part.endNs }, lastWorker);
        }
    }

    void addMessage(const CollectiveNode &node, std::int64_t beginNs, SliceTransfers &transfers)
    {
        const CollectiveNode::Part &sent = node.parts.front(), &received = node.parts.back();
        transfers[sent.slice.value]
            = transferOf({ sent.startNs, sent.endNs },
                         { beginNs, std::max(sent.endNs, received.endNs) }, received.worker);
        transfers[received.slice.value] = transferOf({ received.startNs, received.endNs },
                                                     { beginNs, received.endNs }, sent.worker);
    }

} // namespace

SliceTransfers sliceTransfers(const Trace &trace, const Graph &measured, const JobControl &control)
{
    SliceTransfers transfers;
    addCollectives(trace, control, transfers);
    for (const CollectiveNode &node : measured.collectives)
        if (node.name == MessageKind)
            addMessage(node, measured.measuredStartNs[node.arrival.value], transfers);
    return transfers;
}

std::vector<DeviceActivity> deviceActivities(const Trace &trace, const SliceTransfers &bySlice,
                                             const JobControl &control)
{
    const TransferFinder transfers { bySlice };
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
            collectCpu(trace, t, recorded.count(track.worker) > 0, transfers,
                       collected[{ track.worker, std::nullopt }]);
        else if (track.kind == TrackKind::Stream)
            collectDevice(trace.slices[t], transfers,
                          collected[{ track.worker, track.device.value_or(0) }]);
        else if (track.kind == TrackKind::Communication && !withCommKernels.contains(track.worker))
            collectCommunicationRow(
                trace.slices[t], transfers,
                collected[{ track.worker, track.device.value_or(firstDevice(track.worker)) }]);
    }
    std::vector<DeviceActivity> activities;
    for (auto &[key, device] : collected) {
        if (!device.window)
            continue;
        IntervalSet communication(std::move(device.communication));
        IntervalSet transfer
            = IntervalSet(std::move(device.transfer)).intersectedWith(communication);
        activities.push_back({ key.first, key.second, IntervalSet(std::move(device.compute)),
                               std::move(communication), std::move(transfer),
                               IntervalSet(std::move(device.memory)), *device.window,
                               device.areWaitsKnown });
    }
    return activities;
}

TimeBreakdown breakDown(const DeviceActivity &activity, const TimeRange &range)
{
    const IntervalSet compute = activity.compute.clippedTo(range);
    const IntervalSet communication = activity.communication.clippedTo(range);
    const IntervalSet transfer = activity.transfer.clippedTo(range);
    const IntervalSet memory = activity.memory.clippedTo(range);
    const IntervalSet working = compute.unitedWith(communication);
    TimeBreakdown time;
    time.windowNs = range.durationNs();
    time.computeNs = compute.lengthNs();
    time.commNs = communication.lengthNs();
    time.overlapNs = compute.intersectedWith(communication).lengthNs();
    time.exposedCommNs = time.commNs - time.overlapNs;
    if (activity.areWaitsKnown)
        time.exposedWaitNs = communication.without(compute).without(transfer).lengthNs();
    time.memOnlyNs = working.unitedWith(memory).lengthNs() - working.lengthNs();
    time.idleNs = time.windowNs - time.computeNs - time.exposedCommNs - time.memOnlyNs;
    return time;
}

} // namespace core
