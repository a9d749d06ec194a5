#include "core/import/nsight/nsight_tracks.h"

#include "core/import/checked_index.h"

namespace core {

namespace {

    constexpr std::size_t MostNamedThreads = 1'000'000;
    constexpr std::size_t MostRows = 100'000;

} // namespace

NsightTracks::NsightTracks(NsightContext &context, const NsightWorkers &workers,
                           const NsightSurvey &survey)
    : m_context(context)
    , m_workers(workers)
    , m_threadNames(survey.threadNames())
{
    context.db.forEachRow("ThreadNames", { "globalTid", "nameId" }, [this](const NsightRow &row) {
        const auto thread = row.number(0);
        const auto id = row.number(1);
        if (!thread || !id || m_threadNames.size() >= MostNamedThreads)
            return;
        if (auto name = m_context.strings.text(*id))
            m_threadNames.try_emplace(*thread, std::move(*name));
    });
}

TrackId NsightTracks::thread(WorkerId worker, TrackKind kind, std::int64_t globalTid,
                             std::string_view what)
{
    const ThreadKey key { worker.value, kind, globalTid, std::string(what) };
    if (m_lastThread && m_lastThread->first == key)
        return m_lastThread->second;
    auto known = m_threads.find(key);
    if (known == m_threads.end() && m_threads.size() >= MostRows)
        return furtherRow(worker);
    if (known == m_threads.end())
        known = m_threads.emplace(key, addThread(worker, kind, globalTid, what)).first;
    m_lastThread = *known;
    return known->second;
}

TrackId NsightTracks::addThread(WorkerId worker, TrackKind kind, std::int64_t globalTid,
                                std::string_view what)
{
    const std::string pid = std::to_string(nsightPidOf(globalTid));
    std::string tid = std::to_string(nsightTidOf(globalTid));
    std::string name = threadName(globalTid);
    if (!what.empty()) {
        name.append(" (").append(what).append(")");
        tid.append(" ").append(what);
    }
    if (m_workers.isHelper(nsightProcessOf(globalTid)))
        name += " of process " + pid;
    const TrackId id = m_context.sink.track(worker, { kind, pid, tid, std::nullopt });
    m_context.sink.nameTrack(id, name);
    return id;
}

/// No program has that many threads or streams: what a damaged file adds goes into one row.
TrackId NsightTracks::furtherRow(WorkerId worker)
{
    m_context.count(
        "too-many-rows", Severity::Error,
        "more than 100000 threads or streams: what ran on further ones lies in one row");
    const TrackId id = m_context.sink.track(worker, { TrackKind::Other, "", "further", {} });
    m_context.sink.nameTrack(id, "further threads and streams");
    return id;
}

std::string NsightTracks::threadName(std::int64_t globalTid) const
{
    const std::string number = "thread " + std::to_string(nsightTidOf(globalTid));
    const auto known = m_threadNames.find(globalTid);
    return known == m_threadNames.end() ? number : number + " (" + known->second + ")";
}

TrackId NsightTracks::stream(WorkerId worker, TrackKind kind, std::optional<std::int64_t> device,
                             std::int64_t context, std::optional<std::int64_t> stream)
{
    const StreamKey key { worker.value, kind, device.value_or(-1), context, stream.value_or(-1) };
    if (const auto known = m_streams.find(key); known != m_streams.end())
        return known->second;
    if (m_streams.size() >= MostRows)
        return furtherRow(worker);
    // Streams are numbered within a context. A device has one as a rule, which goes without saying.
    const std::int64_t first
        = m_firstContexts.try_emplace({ worker.value, device.value_or(-1) }, context).first->second;
    std::string pid = std::to_string(device.value_or(-1));
    std::string name = stream ? "stream " + std::to_string(*stream) : "all streams";
    if (context != first) {
        pid += " context " + std::to_string(context);
        name += " of context " + std::to_string(context);
    }
    if (kind == TrackKind::StreamSync)
        name += " (sync)";
    const std::string tid = std::to_string(stream.value_or(-1));
    const TrackId id = m_context.sink.track(worker, { kind, pid, tid, checkedIndex(device) });
    m_context.sink.nameTrack(id, name);
    return m_streams.emplace(key, id).first->second;
}

} // namespace core
