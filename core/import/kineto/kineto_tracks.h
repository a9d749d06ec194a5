#pragma once

#include "core/model/trace_sink.h"

#include <array>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

namespace core {

/// The rows of one file: finds an event's track quickly and names the tracks at the end, when all
/// metadata has been seen.
class KinetoTracks
{
public:
    /// `heldBytes`: of the rows and names of all ranks of the file; within heldShare(sink).
    /// The references must outlive the rows.
    KinetoTracks(TraceSink &sink, WorkerId worker, std::size_t &heldBytes)
        : m_sink(sink)
        , m_worker(worker)
        , m_heldBytes(heldBytes)
    {
    }

    /// pid and tid as written in the file; `device` counts when the track is new.
    TrackId find(TrackKind kind, std::string_view pid, std::string_view tid,
                 std::optional<std::int64_t> device);
    /// What a thread_name record says, before or after the events of that row. False if there are
    /// too many threads: the name was ignored.
    bool noteThreadName(std::string_view pid, std::string_view tid, std::string_view name);
    /// Whether there is a row of the process `pid` (as written).
    bool hasProcess(std::string_view pid) const;
    /// Whether a thread of the process `pid` (as written) ran on the host.
    bool hasThreads(std::string_view pid) const;
    bool hasRows() const { return !m_rows.empty(); }
    /// Gives every track its name. Rows of several kinds share one name in Kineto's files and get
    /// a suffix, unless `areNamesWhole`.
    void nameAll(bool areNamesWhole);

private:
    struct Row
    {
        TrackKind kind;
        std::string pid, tid; ///< as written
        TrackId id;
    };

    using Key = std::tuple<std::string_view, TrackKind, std::string_view>; ///< pid, kind, tid

    const Row &add(TrackKind kind, std::string_view pid, std::string_view tid,
                   std::optional<std::int64_t> device);
    TrackId findUnheld(TrackKind kind, std::string_view pid, std::string_view tid,
                       std::optional<std::int64_t> device);
    /// False if the file holds too much for that; else it is counted.
    bool takeRoom(std::size_t sizeBytes);

    TraceSink &m_sink;
    WorkerId m_worker;
    std::size_t &m_heldBytes;
    std::deque<Row> m_rows; ///< addresses stay
    std::map<Key, const Row *> m_rowByKey; ///< views of the rows' own texts
    std::array<const Row *, 256> m_recent {}; ///< by a hash of kind, pid and tid
    std::map<std::pair<std::string, std::string>, std::string> m_threadNames;
};

} // namespace core
