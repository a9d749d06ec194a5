#include "core/project/write/collected_track.h"

#include "core/model/finish_track.h"

#include <algorithm>
#include <string>

namespace core {

namespace {

    CollectiveCall collectiveCall(const SliceRecord &record, SliceId slice, WorkerId worker)
    {
        const CollectiveInfo &info = *record.collective;
        return { slice,         worker,       std::string(info.kind), std::string(info.group),
                 info.sequence, record.bytes, info.groupSize,         info.readyNs };
    }

    TransferCall transferCall(const SliceRecord &record, SliceId slice, WorkerId worker)
    {
        const TransferInfo &info = *record.transfer;
        return { slice, worker, info.isSend, info.peer, info.channel, {} };
    }

    /// What sorting looks at, together, so that it need not look into the slices.
    struct SortKey
    {
        std::int64_t startNs, durationNs;
        std::uint32_t row;
    };

} // namespace

CollectedTrack::CollectedTrack(const TrackSpec &spec, WorkerId worker)
{
    track.worker = worker;
    track.kind = spec.kind;
    track.pid = spec.pid;
    track.tid = spec.tid;
    track.device = spec.device;
}

bool CollectedTrack::matches(const TrackSpec &spec, WorkerId worker) const
{
    return track.worker == worker && track.kind == spec.kind && track.tid == spec.tid
        && track.pid == spec.pid && track.device == spec.device;
}

void CollectedTrack::add(const SliceRecord &record, std::uint64_t argsOrdinal, NameId transaction)
{
    const std::int64_t endNs = record.startNs + record.durationNs;
    m_range.startNs = size() == 0 ? record.startNs : std::min(m_range.startNs, record.startNs);
    m_range.endNs = size() == 0 ? endNs : std::max(m_range.endNs, endNs);
    m_durations.add(record.durationNs);
    if (m_heldRows % BlockRows == 0) {
        m_blocks.emplace_back();
        if (m_heldRows > 0) // most tracks of some traces are small
            m_blocks.back().reserve(BlockRows);
    }
    m_blocks.back().push_back({ record.startNs, record.durationNs, record.correlation,
                                record.externalId, record.node, record.sequence,
                                record.forwardThread, record.bytes, argsOrdinal,
                                addCalls(record, transaction), record.name, record.category });
    ++m_heldRows;
}

std::uint32_t CollectedTrack::addCalls(const SliceRecord &record, NameId transaction)
{
    if (!record.collective && !record.sync && !record.transfer)
        return 0;
    const SliceId call(m_callCount);
    if (record.collective) {
        collectives.push_back(collectiveCall(record, call, track.worker));
        for (const TensorId tensor : record.collective->tensors)
            if (tensor != NoTensor)
                tensorUses.push_back({ call, tensor });
    }
    if (record.sync)
        syncs.push_back({ call, track.worker, record.sync->waitOnStream,
                          record.sync->waitOnCorrelation, record.sync->stream });
    if (record.transfer)
        transfers.push_back({ transferCall(record, call, track.worker), transaction });
    return ++m_callCount;
}

void CollectedTrack::clear()
{
    m_blocks = std::vector<std::vector<CollectedSlice>>();
    m_heldOrder = std::vector<std::uint32_t>();
    m_heldRows = 0;
    m_runs = std::vector<SpilledRun>();
    m_spilledRows = 0;
    m_leftOut = m_leftOutFirst = 0;
}

void CollectedTrack::sortHeld()
{
    m_heldOrder.clear();
    bool isSorted = true;
    for (std::size_t row = 1; row < m_heldRows && isSorted; ++row)
        isSorted = !isBefore(at(row), at(row - 1));
    if (isSorted)
        return;
    std::vector<SortKey> keys;
    keys.reserve(m_heldRows);
    for (std::uint32_t row = 0; row < m_heldRows; ++row)
        keys.push_back({ at(row).startNs, at(row).durationNs, row });
    std::sort(keys.begin(), keys.end(), [](const SortKey &a, const SortKey &b) {
        return isBefore(a, b) || (!isBefore(b, a) && a.row < b.row);
    });
    m_heldOrder.reserve(m_heldRows);
    for (const SortKey &key : keys)
        m_heldOrder.push_back(key.row);
}

void CollectedTrack::spill(SpillFile &file)
{
    sortHeld();
    RunWriter run(file);
    for (std::size_t i = 0; i < m_heldRows; ++i)
        run.add(held(i));
    m_runs.push_back(run.finish());
    m_spilledRows += m_heldRows;
    m_heldRows = 0;
    m_heldOrder = std::vector<std::uint32_t>(); // `= {}` would keep its memory
    m_blocks = std::vector<std::vector<CollectedSlice>>();
}

void CollectedTrack::resolveCalls(WorkerId worker, std::span<const SliceId> ids)
{
    const auto resolve = [&](auto &call) {
        call.slice = ids[call.slice.value];
        call.worker = worker;
    };
    std::for_each(collectives.begin(), collectives.end(), resolve);
    std::for_each(syncs.begin(), syncs.end(), resolve);
    for (NamedTransfer &transfer : transfers)
        resolve(transfer.call);
    for (TensorUse &use : tensorUses)
        use.slice = ids[use.slice.value];
    if (m_leftOut == 0)
        return;
    const auto isLeftOut = [](const auto &call) { return call.slice == UnwrittenSlice; };
    std::erase_if(collectives, isLeftOut);
    std::erase_if(syncs, isLeftOut);
    std::erase_if(transfers,
                  [&](const NamedTransfer &transfer) { return isLeftOut(transfer.call); });
    std::erase_if(tensorUses, isLeftOut);
}

void CollectedTrack::leaveOut(std::uint64_t first, std::uint64_t last, const TimeRange &rest)
{
    m_leftOutFirst = first;
    m_leftOut = first + last;
    m_range = rest;
}

} // namespace core
