#include "core/graph/build/schedule_builder.h"

#include <algorithm>

namespace core {

void ScheduleBuilder::split(std::uint64_t bytes, std::uint64_t chunks, bool isCoarsened)
{
    m_bytes = bytes;
    m_schedule.chunks = static_cast<std::uint32_t>(chunks);
    m_schedule.isCoarsened = isCoarsened;
    m_schedule.predOffset = { 0 };
}

std::uint64_t ScheduleBuilder::bytesBefore(std::uint64_t chunk) const
{
    const std::uint64_t each = m_bytes / m_schedule.chunks;
    return chunk * each + std::min(chunk, m_bytes % m_schedule.chunks);
}

void ScheduleBuilder::add(ChunkTransfer transfer)
{
    const auto index = static_cast<std::uint32_t>(m_schedule.transfers.size());
    const std::uint32_t endChunk = transfer.firstChunk + transfer.chunkCount;
    transfer.bytes = bytesBefore(endChunk) - bytesBefore(transfer.firstChunk);
    std::vector<std::uint32_t> needed;
    for (std::uint32_t chunk = transfer.firstChunk; chunk < endChunk; ++chunk) {
        const auto keyOf
            = [chunk](std::uint32_t member) { return (std::uint64_t { member } << 32) | chunk; };
        const auto source = m_writers.find(keyOf(transfer.from));
        if (source != m_writers.end())
            needed.insert(needed.end(), source->second.begin(), source->second.end());
        std::vector<std::uint32_t> &target = m_writers[keyOf(transfer.to)];
        if (!transfer.isReduced)
            target.clear();
        target.push_back(index);
    }
    std::sort(needed.begin(), needed.end());
    needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
    m_schedule.preds.insert(m_schedule.preds.end(), needed.begin(), needed.end());
    m_schedule.predOffset.push_back(static_cast<std::uint32_t>(m_schedule.preds.size()));
    m_schedule.transfers.push_back(transfer);
}

CollectiveSchedule ScheduleBuilder::build(std::uint32_t members)
{
    m_schedule.members = members;
    return std::move(m_schedule);
}

} // namespace core
