#include "core/project/project_writer.h"

#include "core/project/args_writer.h"
#include "core/project/project_tables.h"
#include "core/project/schema.h"
#include "core/project/worker_finisher.h"

#include <algorithm>
#include <set>

namespace core {

namespace {

    OpenMode modeFor(const std::filesystem::path &path, bool append)
    {
        if (!std::filesystem::exists(path))
            return OpenMode::Create;
        if (!append)
            throw Error("the project exists already; choose another name, or add to it with "
                        "--append",
                        { path.string(), {} });
        return OpenMode::ReadWrite;
    }

} // namespace

struct ProjectWriter::Private
{
    Private(const std::filesystem::path &path, bool append);

    void prepareForWriting(bool isNew);
    void readExisting();
    bool resolveRanks(const std::function<std::optional<int>()> &fallbackRank);
    bool resolveRank(CollectedFile::CollectedWorker &collected, std::set<int> &taken,
                     const std::function<std::optional<int>()> &fallbackRank);
    void writeFile();
    void writeTensors();
    void writeRecords(CollectedFile::CollectedWorker &collected);
    bool isPossible(std::int64_t timeNs);
    void saveDiagnostics();
    void rollBack();
    SliceRecord sane(const SliceRecord &record);

    Database db;
    Diagnostics diagnostics;
    StringPool names;
    std::size_t savedNames = 0;
    std::uint64_t nextSlice = 0, nextArgs = 0;
    std::uint32_t nextWorker = 0, nextTrack = 0, nextTensor = 0;
    std::set<int> ranks;

    // Only between beginFile() and its end.
    std::optional<Transaction> transaction;
    std::optional<CollectedFile> file;
    std::optional<ArgsWriter> args;
    SourceFile source;
};

ProjectWriter::Private::Private(const std::filesystem::path &path, bool append)
    : db(path, modeFor(path, append))
{
    const bool isNew = std::filesystem::file_size(path) == 0;
    if (!isNew)
        migrate(db, checkIsProject(db), migrations());
    prepareForWriting(isNew);
    if (isNew)
        createSchema(db);
    readExisting();
}

void ProjectWriter::Private::prepareForWriting(bool isNew)
{
    if (isNew)
        db.execute("PRAGMA page_size = 16384");
    Statement(db, "PRAGMA journal_mode = WAL").run();
    db.execute("PRAGMA synchronous = NORMAL");
    db.execute("PRAGMA cache_size = -8192"); // KiB: chunks are written once and not read back
    db.execute("PRAGMA wal_autocheckpoint = 1000");
}

void ProjectWriter::Private::readExisting()
{
    for (const std::string &name : readNames(db))
        names.intern(name);
    savedNames = static_cast<std::size_t>(db.integer("SELECT count(*) FROM name"));
    if (names.size() != std::max<std::size_t>(savedNames, 1))
        db.failDamaged("a name occurs twice");
    const std::vector<Worker> workers = readWorkers(db);
    for (const Worker &worker : workers)
        ranks.insert(worker.rank);
    const std::vector<Track> tracks = readTracks(db, workers.size());
    nextWorker = static_cast<std::uint32_t>(workers.size());
    nextTrack = static_cast<std::uint32_t>(tracks.size());
    if (!tracks.empty())
        nextSlice = tracks.back().firstSlice.value + tracks.back().sliceCount;
    nextArgs = static_cast<std::uint64_t>(
        db.integer("SELECT coalesce(max(first_ordinal + count), 0) FROM args_block"));
    nextTensor = static_cast<std::uint32_t>(db.integer("SELECT count(*) FROM tensor"));
    for (const Diagnostic &diagnostic : readDiagnostics(db))
        diagnostics.add(diagnostic);
}

bool ProjectWriter::Private::resolveRank(CollectedFile::CollectedWorker &collected,
                                         std::set<int> &taken,
                                         const std::function<std::optional<int>()> &fallbackRank)
{
    if (!collected.rank && file->workers.size() == 1)
        collected.rank = fallbackRank();
    if (!collected.rank) {
        diagnostics.count("unknown-rank", Severity::Error, { file->name, {} },
                          "The trace does not say which rank it is, nor does its name; rename it "
                          "to rank<N>.json, put it into a folder rank<N>, or give it with --rank "
                          "FILE=N on the command line.");
        return false;
    }
    collected.worker.rank = *collected.rank;
    if (!taken.insert(*collected.rank).second) {
        diagnostics.count("duplicate-rank", Severity::Error, { file->name, {} },
                          "Rank " + std::to_string(*collected.rank)
                              + " is in the project already; import one trace a rank.");
        return false;
    }
    return true;
}

bool ProjectWriter::Private::resolveRanks(const std::function<std::optional<int>()> &fallbackRank)
{
    std::set<int> taken = ranks;
    const bool isResolved
        = std::all_of(file->workers.begin(), file->workers.end(),
                      [&](auto &collected) { return resolveRank(collected, taken, fallbackRank); });
    if (isResolved)
        ranks = std::move(taken);
    return isResolved;
}

void ProjectWriter::Private::writeFile()
{
    args->flush();
    insertSourceFile(db, source);
    insertNames(db, names, savedNames);
    for (CollectedTrack &collected : file->tracks) {
        collected.track.firstSlice = SliceId(nextSlice);
        collected.track.sliceCount = collected.size();
        nextSlice += collected.size();
    }
    writeTensors();
    WorkerFinisher finisher(db, names, diagnostics);
    for (auto &collected : file->workers) {
        insertWorker(db, collected.worker);
        finisher.finish(*file, collected.worker.id);
        writeRecords(collected);
    }
    insertIterations(db, file->iterations);
    for (const JobMetadata &metadata : file->metadata)
        insertMetadata(db, metadata);
    replaceDiagnostics(db, diagnostics.list());
    nextArgs = args->nextOrdinal();
    nextWorker += static_cast<std::uint32_t>(file->workers.size());
    nextTrack += static_cast<std::uint32_t>(file->tracks.size());
    nextTensor += static_cast<std::uint32_t>(file->tensors.size());
    savedNames = names.size();
}

/// Tensors of the file count from 0: gives them the ids that follow those of the project.
void ProjectWriter::Private::writeTensors()
{
    for (Tensor &tensor : file->tensors)
        tensor.id.value += nextTensor;
    insertTensors(db, file->tensors);
    for (CollectedTrack &collected : file->tracks)
        for (TensorUse &use : collected.tensorUses)
            use.tensor.value += nextTensor;
}

void ProjectWriter::Private::writeRecords(CollectedFile::CollectedWorker &collected)
{
    const WorkerId worker = collected.worker.id;
    insertMemory(db, worker, collected.memory.take(file->compressor));
    insertDependencies(db, worker, collected.dependencies.take(file->compressor));
}

void ProjectWriter::Private::saveDiagnostics()
{
    Transaction saving(db);
    replaceDiagnostics(db, diagnostics.list());
    saving.commit();
}

void ProjectWriter::Private::rollBack()
{
    args.reset();
    file.reset();
    transaction.reset();
    names.shrink(savedNames);
}

SliceRecord ProjectWriter::Private::sane(const SliceRecord &record)
{
    SliceRecord result = record;
    result.startNs = std::clamp(record.startNs, -MaxTimeNs, MaxTimeNs);
    result.durationNs = std::clamp<std::int64_t>(record.durationNs, 0, MaxDurationNs);
    diagnostics.count("impossible-time", Severity::Warning, { file->name, {} },
                      "A record's start or duration is impossible (negative duration, or more "
                      "than a hundred years away); it was moved to the nearest possible time.");
    return result;
}

/// For records that are left out if their time is impossible.
bool ProjectWriter::Private::isPossible(std::int64_t timeNs)
{
    const bool isPossible = timeNs >= -MaxTimeNs && timeNs <= MaxTimeNs;
    if (!isPossible)
        diagnostics.count("impossible-record-time", Severity::Warning, { file->name, {} },
                          "A memory event or a step has an impossible time (more than a hundred "
                          "years away); it was left out.");
    return isPossible;
}

ProjectWriter::ProjectWriter(const std::filesystem::path &path, bool append)
    : d(std::make_unique<Private>(path, append))
{
}

ProjectWriter::~ProjectWriter() = default;

void ProjectWriter::beginFile(const std::string &name, std::string_view format,
                              std::uint64_t storedSize)
{
    d->transaction.emplace(d->db);
    d->file.emplace(name, WorkerId(d->nextWorker), TrackId(d->nextTrack));
    d->args.emplace(d->db, d->nextArgs);
    d->source = { name, std::string(format), storedSize };
}

bool ProjectWriter::endFile(const std::function<std::optional<int>()> &fallbackRank)
{
    if (!d->resolveRanks(fallbackRank)) {
        discardFile();
        return false;
    }
    d->writeFile();
    d->transaction->commit();
    d->rollBack(); // nothing to roll back any more: forgets the file
    return true;
}

void ProjectWriter::discardFile()
{
    d->rollBack();
}

Diagnostics &ProjectWriter::diagnostics()
{
    return d->diagnostics;
}

NameId ProjectWriter::intern(std::string_view text)
{
    return d->names.intern(text);
}

WorkerId ProjectWriter::addWorker()
{
    return d->file->addWorker();
}

void ProjectWriter::describeWorker(WorkerId worker, const WorkerInfo &info)
{
    d->file->describeWorker(worker, info);
}

TrackId ProjectWriter::track(WorkerId worker, const TrackSpec &spec)
{
    return d->file->track(worker, spec);
}

void ProjectWriter::nameTrack(TrackId track, std::string_view name)
{
    d->file->at(track).track.name = name;
}

void ProjectWriter::slice(TrackId track, const SliceRecord &record)
{
    const std::uint64_t argsOrdinal = record.args.empty() ? 0 : d->args->add(record.args) + 1;
    const bool isSane = record.startNs >= -MaxTimeNs && record.startNs <= MaxTimeNs
        && record.durationNs >= 0 && record.durationNs <= MaxDurationNs;
    const NameId transaction
        = record.transfer ? d->names.intern(record.transfer->transaction) : NameId();
    d->file->at(track).add(isSane ? record : d->sane(record), argsOrdinal, transaction);
}

TensorId ProjectWriter::tensor(WorkerId worker, const TensorRecord &record)
{
    return d->file->tensor(worker, record);
}

void ProjectWriter::memory(WorkerId worker, const MemoryEvent &event)
{
    if (d->isPossible(event.timeNs))
        d->file->memory(worker, event);
}

void ProjectWriter::dependency(WorkerId worker, const DependencyEdge &edge)
{
    d->file->dependency(worker, edge);
}

void ProjectWriter::iteration(WorkerId worker, std::int64_t index, TimeRange range)
{
    if (d->isPossible(range.startNs) && d->isPossible(range.endNs))
        d->file->iterations.push_back(
            { worker, index, { range.startNs, std::max(range.startNs, range.endNs) }, true });
}

void ProjectWriter::metadata(std::string_view name, std::string_view text)
{
    d->file->metadata.push_back({ d->file->name + '#' + std::string(name), std::string(text) });
}

void ProjectWriter::countEvents(WorkerId worker, std::string_view category, std::uint64_t count)
{
    d->file->countEvents(worker, category, count);
}

void ProjectWriter::addMetadata(const JobMetadata &metadata)
{
    insertMetadata(d->db, metadata);
}

void ProjectWriter::setIterations(const std::vector<Iteration> &iterations)
{
    replaceIterations(d->db, iterations);
}

void ProjectWriter::setAlignment(const AlignmentReport &report)
{
    replaceAlignment(d->db, report);
}

void ProjectWriter::finish()
{
    d->saveDiagnostics();
    // Fails only while someone reads the project; it then stays in WAL mode, as valid as before.
    d->db.tryExecute("PRAGMA wal_checkpoint(TRUNCATE)");
    d->db.tryExecute("PRAGMA journal_mode = DELETE");
}

} // namespace core
