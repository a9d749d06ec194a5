#include "core/project/read/project_reader.h"

#include "core/base/file_exists.h"
#include "core/model/compared_iterations.h"
#include "core/model/metadata_keys.h"
#include "core/project/read/args_search.h"
#include "core/project/read/file_clocks.h"
#include "core/project/read/name_search.h"
#include "core/project/read/outline.h"
#include "core/project/read/shape_reader.h"
#include "core/project/read/slice_store.h"
#include "core/project/read/window.h"
#include "core/project/schema/import_tables.h"
#include "core/project/schema/migration.h"
#include "core/project/schema/record_tables.h"
#include "core/project/schema/schema.h"
#include "core/project/schema/timing_tables.h"
#include "core/project/sql/collective_table.h"
#include "core/project/sql/query.h"
#include "core/project/sql/record_sql.h"
#include "core/project/sql/slice_table.h"
#include "core/project/sql/totals_table.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace core {

namespace {

    /// Clocks need no more, and there may be millions.
    constexpr std::uint64_t MostOutlinedTransfers = 200'000;

    const std::filesystem::path &existing(const std::filesystem::path &path)
    {
        std::error_code ignored;
        if (std::filesystem::is_directory(path, ignored))
            throw Error("a folder is no project; import the traces in it first: longpole import "
                        "FOLDER -o PROJECT.longpole",
                        { path.string(), {} });
        if (!fileExists(path) || !std::filesystem::is_regular_file(path))
            throw Error(
                "there is no such project file; check its name, or import traces into a new "
                "project",
                { path.string(), {} });
        rollBackKilledWrite(path);
        bringUpToDate(path);
        return path;
    }

    Database &checked(Database &db)
    {
        checkIsProject(db);
        return db;
    }

    TimeRange alignedRangeOf(const ProjectTables &tables)
    {
        std::optional<TimeRange> all;
        for (const Track &track : tables.tracks) {
            if (track.sliceCount == 0)
                continue;
            const TimeRange range = { tables.toAligned(track.worker, track.range.startNs),
                                      tables.toAligned(track.worker, track.range.endNs) };
            if (!all)
                all = range;
            all = TimeRange { std::min(all->startNs, range.startNs),
                              std::max(all->endNs, range.endNs) };
        }
        return all.value_or(TimeRange {});
    }

    std::uint64_t eventsOf(const Worker &worker)
    {
        return std::accumulate(
            worker.eventsByCategory.begin(), worker.eventsByCategory.end(), std::uint64_t(0),
            [](std::uint64_t sum, const auto &entry) { return sum + entry.second; });
    }

    std::vector<std::string> formatsOf(const std::vector<SourceFile> &files)
    {
        std::vector<std::string> formats;
        for (const SourceFile &file : files)
            if (file.status == FileStatus::Read
                && std::find(formats.begin(), formats.end(), file.format) == formats.end())
                formats.push_back(file.format);
        return formats;
    }

    ProjectInfo readInfo(Database &db, const ProjectTables &tables)
    {
        ProjectInfo info;
        info.workers = tables.workers;
        const std::vector<JobMetadata> metadata = readMetadata(db);
        for (const Worker &worker : info.workers)
            info.accelerators.push_back(acceleratorWord(metadata, worker));
        info.tracks = tables.tracks;
        info.iterations = readIterations(db, tables.workers.size(), tables.fileClocks);
        info.compared = comparedIterations(info.workers, info.iterations);
        info.alignment = tables.alignment;
        info.solvedAlignment = readSolvedAlignment(db, tables.workers, tables.tracks);
        info.byHand = readClocksByHand(db, tables.workers.size());
        info.fileClocks = tables.fileClocks;
        info.files = readSourceFiles(db, tables.workers);
        info.formats = formatsOf(info.files);
        info.diagnostics = readDiagnostics(db);
        info.unfinishedImport = readUnfinishedImport(db);
        if (info.unfinishedImport)
            info.diagnostics.insert(info.diagnostics.begin(),
                                    { "unfinished-import",
                                      Severity::Warning,
                                      1,
                                      {},
                                      {},
                                      info.unfinishedImport->message() });
        for (const Worker &worker : info.workers)
            info.eventsTotal += eventsOf(worker);
        info.alignedRange = alignedRangeOf(tables);
        return info;
    }

    std::vector<SliceId> idsOf(std::span<const FoundSlice> found)
    {
        std::vector<SliceId> ids(found.size());
        std::ranges::transform(found, ids.begin(), &FoundSlice::id);
        return ids;
    }

} // namespace

struct ProjectReader::Private
{
    explicit Private(const std::filesystem::path &file)
        : path(file)
        , db(existing(file), OpenMode::Read)
        , store(checked(db))
        , info(readInfo(db, store.tables()))
    {
        if (registerSliceTable(db.handle(), &store) != 0
            || registerRecordTables(db.handle(), &store) != 0
            || registerTotalsTable(db.handle(), &store) != 0)
            db.fail("cannot offer the tables of SQL");
        for (const char *table : { "slice", "slice_total", "memory", "dependency",
                                   "pragma_table_info" }) // a query may declare none
            Statement(db, std::string("SELECT * FROM ") + table);
    }

    void checkTrack(TrackId track) const
    {
        if (track.value >= info.tracks.size())
            throw Error("there is no track " + std::to_string(track.value), { path.string(), {} });
    }

    std::filesystem::path path;
    Database db;
    SliceStore store;
    ProjectInfo info;
    std::unique_ptr<CollectiveTimes> collectiveTimes; ///< null: not offered
    /// As stored, but for the clocks of files.
    std::vector<CollectiveCall> readCalls()
    {
        auto calls = readCollectives(db, info.workers.size(), store.tables().sliceCount());
        for (CollectiveCall &call : calls)
            if (call.readyNs && !info.fileClocks.empty())
                call.readyNs = rankTime(db, store.tables().clock(store.chunkOf(call.slice)->track),
                                        *call.readyNs);
        return calls;
    }

    std::optional<std::vector<CollectiveCall>> collectives; ///< read at first use
};

ProjectReader::ProjectReader(const std::filesystem::path &path)
    : d(std::make_unique<Private>(path))
{
}

ProjectReader::~ProjectReader() = default;

const std::filesystem::path &ProjectReader::path() const
{
    return d->path;
}

const ProjectInfo &ProjectReader::info() const
{
    return d->info;
}

const std::string &ProjectReader::nameOf(NameId id) const
{
    const auto &names = d->store.names();
    if (id.value >= names.size())
        throw Error("there is no name " + std::to_string(id.value), { d->path.string(), {} });
    return names[id.value];
}

TrackWindow ProjectReader::readWindow(TrackId track, TimeRange range,
                                      std::int64_t resolutionNs) const
{
    d->checkTrack(track);
    return core::readWindow(d->store, track, range, resolutionNs);
}

SliceColumns ProjectReader::readTrack(TrackId track) const
{
    d->checkTrack(track);
    return d->store.readTrack(track);
}

std::optional<SliceInfo> ProjectReader::slice(SliceId id) const
{
    const ChunkInfo *chunk = d->store.chunkOf(id);
    if (!chunk)
        return std::nullopt;
    const std::size_t row = id.value - chunk->firstSlice;
    const auto hot = d->store.hot(*chunk);
    const auto links = d->store.links(*chunk);
    SliceInfo info;
    info.id = id;
    info.track = chunk->track;
    info.worker = d->info.tracks[chunk->track.value].worker;
    info.name = nameOf(hot->slices.name[row]);
    info.category = hot->slices.category[row];
    info.phase = hot->slices.phase[row];
    info.depth = hot->slices.depth[row];
    info.startNs = hot->slices.startNs[row];
    info.durationNs = hot->slices.durationNs[row];
    info.correlation = links->correlation[row];
    info.externalId = links->externalId[row];
    info.sequence = links->sequence[row];
    info.forwardThread = links->forwardThread[row];
    info.bytes = links->bytes[row];
    info.node = links->node[row];
    info.args = d->store.args(links->argsOrdinal[row]);
    return info;
}

std::optional<SlicePlace> ProjectReader::placeOf(SliceId id) const
{
    const ChunkInfo *chunk = d->store.chunkOf(id);
    if (!chunk)
        return std::nullopt;
    const auto hot = d->store.hot(*chunk);
    const std::size_t row = id.value - chunk->firstSlice;
    return SlicePlace { chunk->track,
                        d->info.tracks[chunk->track.value].worker,
                        { hot->slices.startNs[row], hot->slices.endNs(row) } };
}

std::vector<SliceId> ProjectReader::findByName(std::string_view text, std::size_t limit) const
{
    return idsOf(findSlices(d->store, searchForText(text), limit, {}));
}

std::vector<FoundSlice> ProjectReader::findByName(const SearchTerms &terms, std::size_t limit,
                                                  const JobControl &control) const
{
    return findSlices(d->store, terms, limit, control);
}

std::uint64_t ProjectReader::countByName(const SearchTerms &terms, const JobControl &control) const
{
    return countSlices(d->store, terms, control);
}

std::vector<SliceId>
ProjectReader::findByArgs(std::string_view text, std::size_t limit, const JobControl &control,
                          const std::function<void(std::span<const SliceId>)> &onFound) const
{
    std::function<void(std::span<const FoundSlice>)> onSlices;
    if (onFound)
        onSlices = [&onFound](std::span<const FoundSlice> found) { onFound(idsOf(found)); };
    return idsOf(findSlicesByArgs(d->store, searchForText(text), limit, control, onSlices));
}

std::vector<FoundSlice> ProjectReader::findByArgs(const SearchTerms &terms, std::size_t limit,
                                                  const JobControl &control) const
{
    return findSlicesByArgs(d->store, terms, limit, control);
}

std::optional<std::int64_t> ProjectReader::lastStartIn(TrackId track, const TimeRange &range) const
{
    const std::span<const ChunkInfo> chunks = d->store.chunksOf(track);
    const auto after
        = std::partition_point(chunks.begin(), chunks.end(), [&range](const ChunkInfo &chunk) {
              return chunk.minStartNs < range.endNs;
          });
    if (after == chunks.begin() || (after - 1)->maxStartNs < range.startNs)
        return std::nullopt;
    const auto hot = d->store.hot(*(after - 1));
    const std::vector<std::int64_t> &starts = hot->slices.startNs;
    const auto next = std::lower_bound(starts.begin(), starts.end(), range.endNs);
    if (next == starts.begin() || *(next - 1) < range.startNs)
        return std::nullopt;
    return *(next - 1);
}

WorkIn ProjectReader::workIn(TrackId track, const TimeRange &range) const
{
    const std::span<const ChunkInfo> chunks = d->store.chunksOf(track);
    WorkIn work;
    for (auto chunk = std::partition_point(
             chunks.begin(), chunks.end(),
             [&range](const ChunkInfo &one) { return one.maxStartNs < range.startNs; });
         chunk != chunks.end() && chunk->minStartNs < range.endNs; ++chunk)
        work += core::workIn(d->store.hot(*chunk)->slices, range);
    return work;
}

const std::vector<CollectiveCall> &ProjectReader::collectives() const
{
    if (!d->collectives)
        d->collectives = d->readCalls();
    return *d->collectives;
}

std::vector<SyncCall> ProjectReader::syncs() const
{
    return readSyncs(d->db, d->info.workers.size(), d->store.tables().sliceCount());
}

Trace ProjectReader::readTrace(const JobControl &control) const
{
    Trace trace;
    trace.names = d->store.names();
    trace.workers = d->info.workers;
    trace.tracks = d->info.tracks;
    for (const Track &track : trace.tracks) {
        throwIfCancelled(control);
        control.report(double(track.id.value) / double(trace.tracks.size()), "read slices");
        trace.slices.push_back(d->store.readTrack(track.id));
    }
    trace.collectives = collectives();
    trace.syncs = syncs();
    trace.transfers
        = readTransfers(d->db, trace.workers.size(), d->store.tables().sliceCount(), trace.names);
    trace.tensors = readTensors(d->db, trace.workers.size());
    trace.tensorUses = readTensorUses(d->db, d->store.tables().sliceCount(), trace.tensors.size());
    trace.dependencies = readDependencies(d->db, trace.workers.size(), trace.names.size());
    trace.iterations = d->info.iterations;
    trace.compared = d->info.compared;
    trace.alignment = d->info.alignment;
    trace.metadata = readMetadata(d->db);
    return trace;
}

OpShapes ProjectReader::readShapes(const Trace &trace, const JobControl &control) const
{
    return readOpShapes(d->store, trace, control);
}

Trace ProjectReader::readOutline(const std::function<bool(std::string_view)> &keepName,
                                 const JobControl &control, const OutlineLimit &limit) const
{
    const auto calls
        = static_cast<std::size_t>(d->db.integer("SELECT count(*) FROM collective_call"));
    const bool areCounted = calls > limit.mostRows(calls); // only, as the other slices are then
    Trace trace;
    trace.names = d->store.names();
    trace.workers = d->info.workers;
    trace.tracks = d->info.tracks;
    if (!areCounted)
        trace.collectives = d->readCalls();
    trace.transfers = readTransfers(d->db, trace.workers.size(), d->store.tables().sliceCount(),
                                    trace.names, MostOutlinedTransfers);
    OutlineReader outline(d->store, keepName, trace.collectives, trace.transfers,
                          areCounted ? 0 : limit.mostRows(calls));
    for (Track &track : trace.tracks) {
        control.report(double(track.id.value) / double(trace.tracks.size()), "read collectives");
        trace.slices.push_back(outline.readTrack(track, control));
    }
    limit.check(calls, outline.rows() + (areCounted ? calls : 0));
    trace.tensors = readTensors(d->db, trace.workers.size());
    const std::vector<TensorUse> uses
        = readTensorUses(d->db, d->store.tables().sliceCount(), trace.tensors.size());
    if (!uses.empty()) // else the calls need not be held twice
        trace.tensorUses = outlinedUses(uses, collectives(), trace.collectives);
    trace.iterations = d->info.iterations;
    trace.compared = d->info.compared;
    trace.alignment = d->info.alignment;
    trace.metadata = readMetadata(d->db);
    return trace;
}

std::vector<MemoryEvent> ProjectReader::memory(WorkerId worker) const
{
    return readMemory(d->db, worker, d->info.fileClocks);
}

void ProjectReader::offerCollectiveTimes(CollectiveTimesSource source)
{
    d->collectiveTimes = std::make_unique<CollectiveTimes>(std::move(source));
    if (registerCollectiveTable(d->db.handle(), d->collectiveTimes.get()) != 0)
        d->db.fail("cannot offer the times of collectives to SQL");
    Statement(d->db, "SELECT * FROM collective_time"); // a query may declare none
}

QueryResult ProjectReader::query(const std::string &sql, std::size_t maxRows,
                                 const JobControl &control) const
{
    class Kept : public QuerySink
    {
    public:
        QueryResult result;

        void begin(const std::vector<std::string> &columns) override { result.columns = columns; }
        void add(QueryRow &&row) override
        {
            result.rows.push_back(std::move(row.values));
            result.isNumber.push_back(std::move(row.isNumber));
        }
    };
    Kept kept;
    kept.result.isTruncated
        = runQuery({ d->db, d->collectiveTimes.get() }, sql, maxRows, kept, control);
    return std::move(kept.result);
}

bool ProjectReader::query(const std::string &sql, std::size_t maxRows, QuerySink &sink,
                          const JobControl &control) const
{
    return runQuery({ d->db, d->collectiveTimes.get() }, sql, maxRows, sink, control);
}

} // namespace core
