#pragma once

#include "core/import/nsight/nsight_processes.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>

namespace core {

/// The rows of an export's workers: finds a row quickly and names it when it is new.
class NsightTracks
{
public:
    NsightTracks(NsightContext &context, const NsightWorkers &workers, const NsightSurvey &survey);

    /// A row of a host thread. Kinds beside HostThread: Communication (MPI), Annotation (ranges
    /// that do not nest), Other (`what` names it: "OS calls").
    TrackId thread(WorkerId worker, TrackKind kind, std::int64_t globalTid,
                   std::string_view what = {});
    /// A stream's row, of kind Stream or StreamSync. `stream` absent: all streams.
    TrackId stream(WorkerId worker, TrackKind kind, std::optional<std::int64_t> device,
                   std::int64_t context, std::optional<std::int64_t> stream);

private:
    using ThreadKey = std::tuple<std::uint32_t, TrackKind, std::int64_t, std::string>;
    using StreamKey
        = std::tuple<std::uint32_t, TrackKind, std::int64_t, std::int64_t, std::int64_t>;

    TrackId addThread(WorkerId worker, TrackKind kind, std::int64_t globalTid,
                      std::string_view what);
    TrackId furtherRow(WorkerId worker);
    std::string threadName(std::int64_t globalTid) const;

    NsightContext &m_context;
    const NsightWorkers &m_workers;
    std::map<std::int64_t, std::string> m_threadNames; ///< by globalTid
    std::map<ThreadKey, TrackId> m_threads;
    std::map<StreamKey, TrackId> m_streams;
    std::map<std::pair<std::uint32_t, std::int64_t>, std::int64_t> m_firstContexts;
    std::optional<std::pair<ThreadKey, TrackId>> m_lastThread;
};

} // namespace core
