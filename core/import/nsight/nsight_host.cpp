#include "core/import/nsight/nsight_host.h"

#include "core/import/nsight/mpi_call.h"

#include <array>

namespace core {

namespace {

    constexpr std::string_view RuntimeTable = "CUPTI_ACTIVITY_KIND_RUNTIME";

    constexpr std::size_t MostKeptNames = 100'000;

    /// "cudaLaunchKernel" of "cudaLaunchKernel_ptsz_v7000": Nsight Systems adds the version in
    /// which the function was declared first; _ptsz and _ptds are variants for per-thread default
    /// streams.
    std::string_view withoutVersion(std::string_view name)
    {
        if (!name.starts_with("cu"))
            return name;
        const std::size_t at = name.rfind("_v");
        if (at != std::string_view::npos && at + 2 < name.size()
            && name.find_first_not_of("0123456789", at + 2) == std::string_view::npos)
            name = name.substr(0, at);
        if (name.ends_with("_ptsz") || name.ends_with("_ptds"))
            name.remove_suffix(5);
        return name;
    }

} // namespace

void NsightHostReader::read(NsightNccl &nccl)
{
    readRuntime(nccl);
    constexpr std::array Tables = {
        CallTable { "CUDNN_EVENTS", "nameId", Category::CpuOp, TrackKind::HostThread, "" },
        CallTable { "CUBLAS_EVENTS", "nameId", Category::CpuOp, TrackKind::HostThread, "" },
        CallTable { "OSRT_API", "nameId", Category::Other, TrackKind::Other, "OS calls" },
        CallTable { "PROFILER_OVERHEAD", "nameId", Category::Overhead, TrackKind::Other,
                    "profiler overhead" },
        CallTable { "CUPTI_ACTIVITY_KIND_OVERHEAD", "nameId", Category::Overhead, TrackKind::Other,
                    "CUPTI overhead" },
    };
    for (const CallTable &table : Tables)
        readCalls(table);
    for (const std::string_view table : { "MPI_COLLECTIVES_EVENTS", "MPI_P2P_EVENTS",
                                          "MPI_START_WAIT_EVENTS", "MPI_OTHER_EVENTS" })
        readMpi(table);
}

NameId NsightHostReader::runtimeName(std::optional<std::int64_t> stringId)
{
    const auto known = m_runtimeNames.find(stringId.value_or(-1));
    if (known != m_runtimeNames.end())
        return known->second;
    if (m_runtimeNames.size() >= MostKeptNames)
        m_runtimeNames.clear();
    const auto text = stringId ? m_context.strings.text(*stringId) : std::nullopt;
    const NameId name = text ? m_context.sink.intern(withoutVersion(*text))
                             : m_context.nameOf(RuntimeTable, std::nullopt);
    return m_runtimeNames.emplace(stringId.value_or(-1), name).first->second;
}

void NsightHostReader::readRuntime(NsightNccl &nccl)
{
    enum Columns { Start, End, Thread, Correlation, Name };
    m_context.db.forEachRow(
        RuntimeTable, { "start", "end", "globalTid", "correlationId", "nameId" },
        [&](const NsightRow &row) {
            const auto thread = row.number(Thread);
            const auto worker = m_workers.countedWorker(RuntimeTable, thread);
            const auto range
                = m_context.rangeOf(RuntimeTable, row.number(Start), row.number(End), true);
            if (!worker || !range)
                return;
            SliceRecord record;
            record.startNs = range->startNs;
            record.durationNs = range->durationNs();
            record.name = runtimeName(row.number(Name));
            record.category = Category::Runtime;
            record.correlation = row.natural(Correlation).value_or(0);
            nccl.noteCall(*thread, record.correlation, record.startNs);
            m_context.sink.slice(m_tracks.thread(*worker, TrackKind::HostThread, *thread), record);
        });
}

void NsightHostReader::readCalls(const CallTable &table)
{
    m_context.db.forEachRow(table.name, { "start", "end", "globalTid", table.nameColumn },
                            [&](const NsightRow &row) { addCall(table, row); });
}

void NsightHostReader::addCall(const CallTable &table, const NsightRow &row)
{
    enum Columns { Start, End, Thread, Name };
    const auto thread = row.number(Thread);
    const auto worker = m_workers.countedWorker(table.name, thread);
    const auto range = m_context.rangeOf(table.name, row.number(Start), row.number(End), true);
    if (!worker || !range)
        return;
    SliceRecord record;
    record.startNs = range->startNs;
    record.durationNs = range->durationNs();
    record.name = m_context.nameOf(table.name, row.number(Name));
    record.category = table.category;
    m_context.sink.slice(m_tracks.thread(*worker, table.track, *thread, table.what), record);
}

void NsightHostReader::readMpi(std::string_view table)
{
    m_context.db.forEachRow(table, { "start", "end", "globalTid", "textId", "size" },
                            [&](const NsightRow &row) { addMpiCall(table, row); });
}

void NsightHostReader::addMpiCall(std::string_view table, const NsightRow &row)
{
    enum Columns { Start, End, Thread, Text, Size };
    const auto thread = row.number(Thread);
    const auto worker = m_workers.countedWorker(table, thread);
    const auto range = m_context.rangeOf(table, row.number(Start), row.number(End), true);
    if (!worker || !range)
        return;
    SliceRecord record;
    record.startNs = range->startNs;
    record.durationNs = range->durationNs();
    record.name = m_context.nameOf(table, row.number(Text));
    record.bytes = row.natural(Size).value_or(0);
    const std::string name
        = row.number(Text) ? m_context.strings.text(*row.number(Text)).value_or("") : "";
    const std::optional<CollectiveInfo> collective = mpiCollective(name);
    record.category = isMpiCommunication(name) ? Category::CommOp : Category::Other;
    record.collective = collective ? &*collective : nullptr;
    m_context.sink.slice(m_tracks.thread(*worker, TrackKind::Communication, *thread, "MPI"),
                         record);
}

} // namespace core
