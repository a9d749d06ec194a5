#include "core/import/nsight/nsight_importer.h"

#include "core/base/sqlite_magic.h"
#include "core/import/category_counts.h"
#include "core/import/nsight/nsight_device.h"
#include "core/import/nsight/nsight_host.h"
#include "core/import/nsight/nsight_nvtx.h"
#include "core/import/nsight/nsight_session.h"
#include "core/import/nsight/nsight_sync.h"
#include "core/import/nsight/nvtx_events.h"
#include "core/import/stored_file.h"
#include "core/import/text/clean_text.h"
#include "core/import/unwritten_rows.h"

#include <algorithm>
#include <array>

namespace core {

namespace {

    /// Tables that describe rows of others; their own rows are no records of the timeline.
    bool isDescription(std::string_view table)
    {
        constexpr std::array Names
            = { std::string_view("StringIds"),         std::string_view("PROCESSES"),
                std::string_view("ThreadNames"),       std::string_view("ProcessStreams"),
                std::string_view("ANALYSIS_DETAILS"),  std::string_view("ANALYSIS_FILE"),
                std::string_view("META_DATA_CAPTURE"), std::string_view("META_DATA_EXPORT"),
                std::string_view("EXPORT_META_DATA"),  std::string_view("DIAGNOSTIC_EVENT"),
                std::string_view("UnwindMethodType"),  std::string_view("NVTX_SCOPES") };
        constexpr std::array Prefixes
            = { std::string_view("ENUM_"), std::string_view("TARGET_INFO_"),
                std::string_view("NVTX_PAYLOAD_") };
        return std::find(Names.begin(), Names.end(), table) != Names.end()
            || std::any_of(Prefixes.begin(), Prefixes.end(),
                           [table](std::string_view prefix) { return table.starts_with(prefix); });
    }

    constexpr std::array Read = {
        std::string_view("CUPTI_ACTIVITY_KIND_KERNEL"),
        std::string_view("CUPTI_ACTIVITY_KIND_MEMCPY"),
        std::string_view("CUPTI_ACTIVITY_KIND_MEMSET"),
        std::string_view("CUPTI_ACTIVITY_KIND_GRAPH_TRACE"),
        std::string_view("CUPTI_ACTIVITY_KIND_RUNTIME"),
        std::string_view("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"),
        std::string_view("CUPTI_ACTIVITY_KIND_CUDA_EVENT"),
        std::string_view("CUPTI_ACTIVITY_KIND_OVERHEAD"),
        std::string_view("CUDA_GPU_MEMORY_USAGE_EVENTS"),
        std::string_view("CUDNN_EVENTS"),
        std::string_view("CUBLAS_EVENTS"),
        std::string_view("OSRT_API"),
        std::string_view("PROFILER_OVERHEAD"),
        std::string_view("MPI_COLLECTIVES_EVENTS"),
        std::string_view("MPI_P2P_EVENTS"),
        std::string_view("MPI_START_WAIT_EVENTS"),
        std::string_view("MPI_OTHER_EVENTS"),
        NvtxTable,
    };

    /// Other programs mark their databases by a number (at byte 68); Nsight Systems does not.
    bool hasApplicationId(std::string_view head)
    {
        return head.size() >= 72 && head.substr(68, 4) != std::string_view("\0\0\0\0", 4);
    }

    /// That rows of a table that is not read are counted, and why they are not shown.
    Diagnostic notShown(std::string_view table, std::uint64_t rows, const std::string &file)
    {
        const auto told = [&](std::string_view code, const std::string &what) {
            return Diagnostic { std::string(code),
                                Severity::Info,
                                rows,
                                file,
                                {},
                                what
                                    + " were only counted and are not on the timeline: Longpole "
                                      "has no view of them" };
        };
        if (table == "SCHED_EVENTS")
            return told("not-shown-scheduling", "switches of threads on CPUs (SCHED_EVENTS)");
        if (table == "COMPOSITE_EVENTS" || table.ends_with("CALLCHAINS"))
            return told("not-shown-samples",
                        "samples of what threads run and call chains (COMPOSITE_EVENTS, tables "
                        "that end in CALLCHAINS)");
        return told("not-shown-tables",
                    "rows of tables that are not read (" + std::string(table) + " is the first)");
    }

    /// What lies in tables that are not read (samples, scheduling, network metrics) is counted.
    void countOthers(NsightContext &context, NsightWorkers &workers)
    {
        NsightDatabase &db = context.db;
        for (const std::string &table : db.tables()) {
            if (isDescription(table) || table.starts_with("sqlite_")
                || std::find(Read.begin(), Read.end(), table) != Read.end())
                continue;
            const std::uint64_t rows = db.forEachRow(table, {}, [](const NsightRow &) {});
            if (rows == 0)
                continue;
            const std::string name = cleanText(table.substr(0, MaximumCategoryBytes));
            workers.countRows(name, rows);
            context.sink.diagnostics().add(notShown(name, rows, db.name()));
        }
    }

    std::uint64_t rowsToRead(NsightDatabase &db)
    {
        std::uint64_t rows = 0;
        for (const std::string_view table : Read)
            rows += db.estimatedRows(table);
        // Kernels, copies and NVTX are gone through twice.
        return rows + db.estimatedRows(Read[0]) + db.estimatedRows(Read[1])
            + db.estimatedRows(NvtxTable);
    }

    void readTables(NsightDatabase &db, TraceSink &sink)
    {
        NsightContext context(db, sink);
        const NsightSession session = readNsightSession(context);
        const NvtxPayloads payloads(db);
        NsightKernelNames names(context);
        // The other half is for the records of events, which NsightSyncReader holds.
        NsightNccl nccl(sink.importerBytes() / 2);
        const NsightSurvey survey(context, payloads, names, nccl);
        NsightWorkers workers(context, survey, session);
        NsightTracks tracks(context, workers, survey);
        NsightNvtxReader(context, workers, tracks, survey, payloads).read(nccl);
        NsightHostReader(context, workers, tracks).read(nccl);
        nccl.tie();
        if (nccl.leftOut() > 0)
            context.count(
                "too-many-collectives", Severity::Warning,
                "the report has more communication kernels or NCCL calls than the "
                "import may hold: those of its end have neither size nor communicator. "
                "Import again with a larger --memory-limit (longpole import), or record less");
        NsightDeviceReader(context, workers, tracks, names, nccl).read();
        NsightSyncReader(context, workers, tracks).read();
        countOthers(context, workers);
        workers.giveCounts();
    }

} // namespace

bool NsightImporter::recognizes(std::string_view entryName, std::string_view head) const
{
    if (!head.starts_with(SqliteMagic) || hasApplicationId(head))
        return false;
    const auto mentions
        = [head](std::string_view word) { return head.find(word) != std::string_view::npos; };
    constexpr std::array Tables
        = { std::string_view("TARGET_INFO_"), std::string_view("META_DATA_EXPORT"),
            std::string_view("EXPORT_META_DATA"), std::string_view("NVTX_EVENTS"),
            std::string_view("CUPTI_ACTIVITY_KIND_") };
    if (std::any_of(Tables.begin(), Tables.end(), mentions))
        return true;
    // The list of tables may lie anywhere in a file; what lies elsewhere is told by the name that
    // nsys gives.
    return entryName.find(".sqlite") != std::string_view::npos && !mentions("CREATE TABLE");
}

void NsightImporter::read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const
{
    const bool isPlain = !entry.plainFile().empty();
    const StoredFile file(entry, sink.diagnostics(), control.part(0, isPlain ? 0 : 0.3));
    countUnwrittenRows(entry, file.path(), sink.diagnostics(), control);
    const JobControl reading = control.part(isPlain ? 0 : 0.3, 1);
    NsightDatabase db(file.path(), entry.name(), sink.diagnostics(), reading);
    if (!db.has("StringIds"))
        throw Error("is an SQLite database, but no export of Nsight Systems",
                    { entry.name(), std::nullopt });
    db.expectRows(rowsToRead(db));
    readTables(db, sink);
}

} // namespace core
