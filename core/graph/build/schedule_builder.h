#pragma once

#include "core/graph/collectives/collective_schedule.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace core {

/// Collects the transfers of a schedule and finds from the chunks that they carry which ones each
/// needs.
class ScheduleBuilder
{
public:
    /// The data in `chunks` chunks, as equal as whole bytes allow.
    void split(std::uint64_t bytes, std::uint64_t chunks, bool isCoarsened);

    /// Behind all transfers that it needs; its bytes are those of its chunks.
    void add(ChunkTransfer transfer);

    CollectiveSchedule build(std::uint32_t members);

private:
    std::uint64_t bytesBefore(std::uint64_t chunk) const;

    CollectiveSchedule m_schedule;
    std::uint64_t m_bytes = 0;
    /// By (member, chunk): the transfers that made up what the member has of it.
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> m_writers;
};

} // namespace core
