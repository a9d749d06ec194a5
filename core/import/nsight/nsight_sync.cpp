#include "core/import/nsight/nsight_sync.h"

#include <algorithm>
#include <limits>
#include <string_view>

namespace core {

namespace {

    constexpr std::string_view SyncTable = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION";
    constexpr std::string_view EventTable = "CUPTI_ACTIVITY_KIND_CUDA_EVENT";
    constexpr std::size_t MostRecords = 4'000'000; ///< whatever the memory
    constexpr std::size_t BytesPerEventRecord
        = 192; ///< about, where each is of an event of its own

    enum Columns { Start, End, Process, Device, Context, Stream, Correlation, SyncType, Event };

    // ENUM_CUPTI_SYNC_TYPE
    constexpr std::int64_t EventSync = 1;
    constexpr std::int64_t StreamWait = 2;
    constexpr std::int64_t StreamSync = 3;
    constexpr std::int64_t ContextSync = 4;

    std::string_view nameOfType(std::int64_t type)
    {
        switch (type) {
        case EventSync:
            return "Event Sync";
        case StreamWait:
            return "Stream Wait Event";
        case StreamSync:
            return "Stream Sync";
        case ContextSync:
            return "Context Sync";
        default:
            return "Sync";
        }
    }

    /// CUPTI writes 2^32 - 1 where there is no stream or no event.
    std::optional<std::int64_t> given(std::optional<std::int64_t> id)
    {
        return id && *id >= 0 && *id < std::numeric_limits<std::uint32_t>::max() ? id
                                                                                 : std::nullopt;
    }

} // namespace

void NsightSyncReader::read()
{
    readEvents();
    m_context.db.forEachRow(SyncTable,
                            { "start", "end", "globalPid", "deviceId", "contextId", "streamId",
                              "correlationId", "syncType", "eventId" },
                            [this](const NsightRow &row) { addWait(row); });
}

void NsightSyncReader::readEvents()
{
    enum EventColumns { Owner, InContext, EventId, OnStream, Call };
    std::size_t count = 0;
    const std::size_t most
        = std::min(MostRecords, m_context.sink.importerBytes() / 2 / BytesPerEventRecord);
    m_context.db.forEachRow(
        EventTable, { "globalPid", "contextId", "eventId", "streamId", "correlationId" },
        [&](const NsightRow &row) {
            const auto process = row.number(Owner);
            m_workers.countedWorker(EventTable, process);
            const auto event = given(row.number(EventId));
            const auto stream = given(row.number(OnStream));
            const auto call = row.natural(Call);
            if (!process || !event || !stream || !call)
                return;
            if (++count > most) {
                m_context.count("too-many-events", Severity::Warning,
                                "the report has more event records than the import may hold: waits "
                                "for events of its end do not say what they wait for. Import again "
                                "with a larger --memory-limit (longpole import), or record less");
                return;
            }
            m_records[{ nsightProcessOf(*process), row.number(InContext).value_or(0), *event }]
                .emplace(*call, *stream);
        });
}

void NsightSyncReader::addWait(const NsightRow &row)
{
    const auto process = row.number(Process);
    const auto worker = m_workers.countedWorker(SyncTable, process);
    const auto range = m_context.rangeOf(SyncTable, row.number(Start), row.number(End));
    if (!range || !worker)
        return;
    const std::int64_t type = row.number(SyncType).value_or(0);
    const std::optional<std::int64_t> stream = given(row.number(Stream));
    SyncInfo sync;
    if (type == StreamSync)
        sync.waitOnStream = stream;
    if (type == StreamWait)
        sync.stream = stream;
    if (type == StreamWait || type == EventSync)
        awaitEvent(row, nsightProcessOf(*process), sync);
    SliceRecord record;
    record.startNs = range->startNs;
    record.durationNs = range->durationNs();
    record.name = m_context.sink.intern(nameOfType(type));
    record.category = Category::Sync;
    record.correlation = row.natural(Correlation).value_or(0);
    record.sync = &sync;
    m_context.sink.slice(m_tracks.stream(*worker, TrackKind::StreamSync,
                                         m_context.gpuOf(*process, row.number(Device)),
                                         row.number(Context).value_or(0), stream),
                         record);
}

/// The event's last record before the wait: correlations of a process rise with time.
void NsightSyncReader::awaitEvent(const NsightRow &row, NsightProcess process, SyncInfo &sync) const
{
    const auto event = given(row.number(Event));
    const auto call = row.natural(Correlation);
    if (!event || !call)
        return;
    const auto records = m_records.find({ process, row.number(Context).value_or(0), *event });
    if (records == m_records.end())
        return;
    const auto after = records->second.lower_bound(*call);
    if (after == records->second.begin())
        return;
    const auto last = std::prev(after);
    sync.waitOnCorrelation = last->first;
    sync.waitOnStream = last->second;
}

} // namespace core
