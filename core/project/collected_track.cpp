#include "core/project/collected_track.h"

#include <algorithm>
#include <string>

namespace core {

namespace {

    CollectiveCall collectiveCall(const SliceRecord &record, SliceId row, WorkerId worker)
    {
        const CollectiveInfo &info = *record.collective;
        return { row,           worker,       std::string(info.kind), std::string(info.group),
                 info.sequence, record.bytes, info.groupSize };
    }

    TransferCall transferCall(const SliceRecord &record, SliceId row, WorkerId worker)
    {
        const TransferInfo &info = *record.transfer;
        return { row, worker, info.isSend, info.peer, info.channel, {} };
    }

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
    const SliceId row(m_size);
    if (record.collective) {
        collectives.push_back(collectiveCall(record, row, track.worker));
        for (const TensorId tensor : record.collective->tensors)
            tensorUses.push_back({ row, tensor });
    }
    if (record.sync)
        syncs.push_back({ row, track.worker, record.sync->waitOnStream,
                          record.sync->waitOnCorrelation, record.sync->stream });
    if (record.transfer)
        transfers.push_back({ transferCall(record, row, track.worker), transaction });
    if (m_size % BlockRows == 0)
        m_blocks.emplace_back(new CollectedSlice[BlockRows]);
    m_blocks.back()[m_size % BlockRows]
        = { record.startNs, record.durationNs, record.correlation,   record.externalId,
            record.node,    record.sequence,   record.forwardThread, record.bytes,
            argsOrdinal,    record.name,       record.category };
    ++m_size;
}

SliceColumns CollectedTrack::takeColumns(std::vector<std::uint64_t> &argsOrdinal)
{
    SliceColumns columns;
    const auto reserve = [this](auto &...column) { (column.reserve(m_size), ...); };
    reserve(columns.startNs, columns.durationNs, columns.name, columns.category,
            columns.correlation, columns.externalId, columns.node, columns.sequence,
            columns.forwardThread, columns.bytes, argsOrdinal);
    for (std::size_t row = 0; row < m_size; ++row) {
        const CollectedSlice &slice = m_blocks[row / BlockRows][row % BlockRows];
        columns.startNs.push_back(slice.startNs);
        columns.durationNs.push_back(slice.durationNs);
        columns.name.push_back(slice.name);
        columns.category.push_back(slice.category);
        columns.correlation.push_back(slice.correlation);
        columns.externalId.push_back(slice.externalId);
        columns.node.push_back(slice.node);
        columns.sequence.push_back(slice.sequence);
        columns.forwardThread.push_back(slice.forwardThread);
        columns.bytes.push_back(slice.bytes);
        argsOrdinal.push_back(slice.argsOrdinal);
        if (row % BlockRows == BlockRows - 1)
            m_blocks[row / BlockRows].reset();
    }
    columns.phase.resize(m_size);
    columns.depth.resize(m_size);
    m_blocks.clear();
    m_size = 0;
    return columns;
}

void CollectedTrack::resolveCalls(WorkerId worker, SliceId first,
                                  std::span<const std::uint32_t> order)
{
    std::vector<std::uint32_t> rowOf(order.size()); // sorted row by row of arrival
    for (std::uint32_t row = 0; row < order.size(); ++row)
        rowOf[order[row]] = row;
    const auto resolve = [&](SliceId &slice) {
        const std::uint64_t row = rowOf.empty() ? slice.value : rowOf[slice.value];
        slice = SliceId(first.value + row);
    };
    for (CollectiveCall &call : collectives) {
        resolve(call.slice);
        call.worker = worker;
    }
    for (SyncCall &call : syncs) {
        resolve(call.slice);
        call.worker = worker;
    }
    for (NamedTransfer &transfer : transfers) {
        resolve(transfer.call.slice);
        transfer.call.worker = worker;
    }
    for (TensorUse &use : tensorUses)
        resolve(use.slice);
}

} // namespace core
