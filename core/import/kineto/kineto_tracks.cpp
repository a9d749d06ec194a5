#include "core/import/kineto/kineto_tracks.h"

#include "core/import/checked_index.h"
#include "core/import/held_share.h"
#include "core/import/text/clean_text.h"
#include "core/import/text/decimal_time.h"

#include <algorithm>
#include <limits>

namespace core {

namespace {

    constexpr std::size_t BytesPerKinetoRow
        = 192; ///< or of a thread's name, beside its texts; about
    constexpr std::int64_t SyncRowOffset = 1000000; // added to the stream id of its sync row

    std::size_t slotOf(TrackKind kind, std::string_view pid, std::string_view tid)
    {
        std::size_t hash = static_cast<std::size_t>(kind) + pid.size();
        for (const char c : tid)
            hash = hash * 31 + static_cast<unsigned char>(c);
        if (!pid.empty())
            hash += static_cast<unsigned char>(pid.back());
        return (hash ^ (hash >> 8U)) & 255U;
    }

    bool isNumber(const std::string &text)
    {
        return integerFrom(text).has_value();
    }

    /// "stream 7" for tid 7; what is no number already is a name.
    std::string rowName(const char *what, const std::string &tid)
    {
        return isNumber(tid) ? what + (' ' + tid) : tid;
    }

    /// A runtime call's thread is the lower half of its pthread handle, written with a sign.
    std::string threadName(const std::string &tid)
    {
        constexpr std::int64_t Least = std::numeric_limits<std::int32_t>::min();
        const std::optional<std::int64_t> number = integerFrom(tid);
        return number && *number < 0 && *number >= Least
            ? "thread " + std::to_string(static_cast<std::uint32_t>(*number))
            : rowName("thread", tid);
    }

    std::string syncRowName(const std::string &tid)
    {
        const std::optional<std::int64_t> number = integerFrom(tid);
        if (number && *number < 0)
            return "all streams (sync)";
        if (number && *number >= SyncRowOffset)
            return "stream " + std::to_string(*number - SyncRowOffset) + " (sync)";
        return rowName("stream", tid) + " (sync)";
    }

    std::string composedName(TrackKind kind, const std::string &pid, const std::string &tid)
    {
        switch (kind) {
        case TrackKind::Stream:
            return rowName("stream", tid);
        case TrackKind::StreamSync:
            return syncRowName(tid);
        case TrackKind::Annotation:
            return isNumber(tid) ? "stream " + tid + " (annotations)" : tid;
        case TrackKind::HostThread:
        case TrackKind::Communication:
            return threadName(tid);
        case TrackKind::Other:
            break;
        }
        return pid == "-1" ? "overhead" : rowName("row", tid);
    }

    /// Rows of several kinds share one thread_name record; the name tells them apart.
    std::string recordedName(TrackKind kind, const std::string &name)
    {
        if (kind == TrackKind::StreamSync && name.find("sync") == std::string::npos)
            return name + " (sync)";
        if (kind == TrackKind::Annotation)
            return name + " (annotations)";
        return name;
    }

} // namespace

TrackId KinetoTracks::find(TrackKind kind, std::string_view pid, std::string_view tid,
                           std::optional<std::int64_t> device)
{
    const Row *&recent = m_recent[slotOf(kind, pid, tid)];
    if (recent != nullptr && recent->kind == kind && recent->tid == tid && recent->pid == pid)
        return recent->id;
    const auto found = m_rowByKey.find({ pid, kind, tid });
    if (found == m_rowByKey.end()
        && (m_rows.size() >= MaximumTracks
            || !takeRoom(BytesPerKinetoRow + pid.size() + tid.size())))
        return findUnheld(kind, pid, tid, device);
    recent = found != m_rowByKey.end() ? found->second : &add(kind, pid, tid, device);
    return recent->id;
}

/// Past what may be held here the sink alone knows the rows, which are named by their numbers.
TrackId KinetoTracks::findUnheld(TrackKind kind, std::string_view pid, std::string_view tid,
                                 std::optional<std::int64_t> device)
{
    const std::string cleanPid = cleanString(pid), cleanTid = cleanString(tid);
    const TrackId id = m_sink.track(m_worker, { kind, cleanPid, cleanTid, checkedIndex(device) });
    m_sink.nameTrack(id, composedName(kind, cleanPid, cleanTid));
    return id;
}

bool KinetoTracks::takeRoom(std::size_t sizeBytes)
{
    const std::size_t most = heldShare(m_sink);
    if (sizeBytes > most || m_heldBytes > most - sizeBytes)
        return false;
    m_heldBytes += sizeBytes;
    return true;
}

const KinetoTracks::Row &KinetoTracks::add(TrackKind kind, std::string_view pid,
                                           std::string_view tid, std::optional<std::int64_t> device)
{
    const std::string cleanPid = cleanString(pid);
    const std::string cleanTid = cleanString(tid);
    const TrackSpec spec { kind, cleanPid, cleanTid, checkedIndex(device) };
    m_rows.push_back({ kind, std::string(pid), std::string(tid), m_sink.track(m_worker, spec) });
    const Row &added = m_rows.back();
    m_rowByKey.emplace(Key { added.pid, added.kind, added.tid }, &added);
    return added;
}

bool KinetoTracks::noteThreadName(std::string_view pid, std::string_view tid, std::string_view name)
{
    std::string text = cleanString(name);
    while (!text.empty() && text.back() == ' ')
        text.pop_back();
    if (text.empty())
        return true;
    const std::pair key { std::string(pid), std::string(tid) };
    const auto known = m_threadNames.find(key);
    const bool isNew = known == m_threadNames.end();
    const std::size_t had = isNew ? 0 : known->second.size();
    const std::size_t size = std::max(text.size(), had) - had
        + (isNew ? BytesPerKinetoRow + pid.size() + tid.size() : 0);
    if ((isNew && m_threadNames.size() >= MaximumTracks) || !takeRoom(size))
        return false;
    m_threadNames[key] = std::move(text);
    return true;
}

bool KinetoTracks::hasProcess(std::string_view pid) const
{
    const auto first = m_rowByKey.lower_bound({ pid, TrackKind {}, {} });
    return first != m_rowByKey.end() && std::get<0>(first->first) == pid;
}

bool KinetoTracks::hasThreads(std::string_view pid) const
{
    const auto first = m_rowByKey.lower_bound({ pid, TrackKind::HostThread, {} });
    return first != m_rowByKey.end() && std::get<0>(first->first) == pid
        && std::get<1>(first->first) == TrackKind::HostThread;
}

void KinetoTracks::nameAll(bool areNamesWhole)
{
    for (const Row &row : m_rows) {
        const auto recorded = m_threadNames.find({ row.pid, row.tid });
        if (recorded == m_threadNames.end())
            m_sink.nameTrack(row.id, composedName(row.kind, row.pid, cleanString(row.tid)));
        else
            m_sink.nameTrack(row.id,
                             areNamesWhole ? recorded->second
                                           : recordedName(row.kind, recorded->second));
    }
}

} // namespace core
