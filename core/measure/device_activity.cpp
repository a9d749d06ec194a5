#include "core/measure/device_activity.h"

#include "core/measure/device_work.h"
#include "core/model/slice_index.h"

#include <algorithm>
#include <map>
#include <utility>

namespace core {

namespace {

    using Key = std::pair<WorkerId, std::optional<int>>;

    /// Intervals while they are collected.
    struct Collected
    {
        std::vector<TimeRange> compute, communication, transfer, memory;
        std::optional<TimeRange> window;
        bool isMatched = false, hasUnseen = false;

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
            device.isMatched = true;
            device.hasUnseen = device.hasUnseen || found->second.hasUnseen;
            device.transfer.push_back(
                { startNs + found->second.beginNs, startNs + found->second.endNs });
        }
    };

    /// A CPU's window is of all that its worker recorded.
    void collectTrack(const DeviceWork &work, std::size_t track, bool isCpu,
                      const SliceColumns &slices, const TransferFinder &transfers,
                      Collected &device)
    {
        for (std::size_t row = 0; row < slices.size(); ++row) {
            const TimeRange range { slices.startNs[row], slices.endNs(row) };
            const std::optional<DeviceWorkKind> kind = work.kindOf(track, row);
            if (kind || isCpu)
                device.extendWindow(range);
            if (kind == DeviceWorkKind::Compute)
                device.compute.push_back(range);
            else if (kind == DeviceWorkKind::Communication)
                transfers.add(slices, row, device);
            else if (kind == DeviceWorkKind::Copy)
                device.memory.push_back(range);
        }
    }

    SliceTransfer transferOf(const TimeRange &slice, const TimeRange &ofData, WorkerId awaited)
    {
        return { ofData.startNs - slice.startNs, ofData.endNs - slice.startNs,
                 std::clamp<std::int64_t>(ofData.startNs - slice.startNs, 0, slice.durationNs()),
                 awaited };
    }

    void addCollectives(const Trace &trace, const std::vector<MatchedCollective> &collectives,
                        SliceTransfers &transfers)
    {
        const SliceIndex slices(trace);
        for (const MatchedCollective &matched : collectives) {
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

SliceTransfers sliceTransfers(const Trace &trace, const Graph &measured)
{
    SliceTransfers transfers;
    if (measured.matched)
        addCollectives(trace, *measured.matched, transfers);
    for (const CollectiveNode &node : measured.collectives)
        if (node.isMessage)
            addMessage(node, measured.measuredStartNs[node.arrival.value], transfers);
        else if (node.hasUnseenRanks())
            for (const CollectiveNode::Part &part : node.parts)
                if (const auto found = transfers.find(part.slice.value); found != transfers.end())
                    found->second.hasUnseen = true;
    return transfers;
}

std::vector<DeviceActivity> deviceActivities(const Trace &trace, const SliceTransfers &bySlice,
                                             const JobControl &control)
{
    const TransferFinder transfers { bySlice };
    const DeviceWork work(trace);
    std::map<Key, Collected> collected;
    for (std::size_t t = 0; t < trace.tracks.size(); ++t) {
        throwIfCancelled(control);
        if (const auto &place = work.placeOf(t))
            collectTrack(work, t, !place->device, trace.slices[t], transfers,
                         collected[{ trace.tracks[t].worker, place->device }]);
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
                               device.isMatched, device.hasUnseen });
    }
    return activities;
}

TimeBreakdown divided(const ActiveTimes &busy, std::int64_t wholeNs, bool areWaitsKnown)
{
    const IntervalSet working = busy.compute.unitedWith(busy.communication);
    TimeBreakdown time;
    time.windowNs = wholeNs;
    time.computeNs = busy.compute.lengthNs();
    time.commNs = busy.communication.lengthNs();
    time.overlapNs = busy.compute.intersectedWith(busy.communication).lengthNs();
    time.exposedCommNs = time.commNs - time.overlapNs;
    if (areWaitsKnown)
        time.exposedWaitNs
            = busy.communication.without(busy.compute).without(busy.transfer).lengthNs();
    time.memOnlyNs = working.unitedWith(busy.memory).lengthNs() - working.lengthNs();
    time.idleNs = time.windowNs - time.computeNs - time.exposedCommNs - time.memOnlyNs;
    return time;
}

TimeBreakdown breakDown(const DeviceActivity &activity, const TimeRange &range)
{
    return divided({ activity.compute.clippedTo(range), activity.communication.clippedTo(range),
                     activity.transfer.clippedTo(range), activity.memory.clippedTo(range) },
                   range.durationNs(), activity.areWaitsKnown());
}

} // namespace core
