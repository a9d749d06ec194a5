#pragma once

#include "core/import/nsight/nsight_context.h"
#include "core/import/nsight/nsight_processes.h"
#include "core/import/nsight/nsight_tracks.h"

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>

namespace core {

/// Reads CUPTI_ACTIVITY_KIND_SYNCHRONIZATION: who waits for what. A wait names an event; which
/// stream and call recorded it is in CUPTI_ACTIVITY_KIND_CUDA_EVENT.
class NsightSyncReader
{
public:
    NsightSyncReader(NsightContext &context, NsightWorkers &workers, NsightTracks &tracks)
        : m_context(context)
        , m_workers(workers)
        , m_tracks(tracks)
    {
    }

    void read();

private:
    using EventKey
        = std::tuple<NsightProcess, std::int64_t, std::int64_t>; ///< process, context, event

    void readEvents();
    void addWait(const NsightRow &row);
    void awaitEvent(const NsightRow &row, NsightProcess process, SyncInfo &sync) const;

    NsightContext &m_context;
    NsightWorkers &m_workers;
    NsightTracks &m_tracks;
    /// Streams that recorded an event, by the recording call's correlation.
    std::map<EventKey, std::map<std::uint64_t, std::int64_t>> m_records;
};

} // namespace core
