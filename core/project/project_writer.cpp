#include "core/project/project_writer.h"

#include "core/project/known_ranks.h"
#include "core/project/migration.h"
#include "core/project/project_tables.h"
#include "core/project/schema.h"
#include "core/project/worker_finisher.h"

#include <algorithm>

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

    constexpr const char *UnknownRank
        = "The trace does not say which rank it is, nor does its name; rename it to rank<N>.json, "
          "put it into a folder rank<N>, or give it with --rank FILE=N on the command line.";

} // namespace

struct ProjectWriter::Private
{
    Private(const std::filesystem::path &path, bool append);

    void prepareForWriting();
    void readExisting();
    /// Finds the place of each worker of the file in the project, and adds it to `known`; why the
    /// file cannot be taken.
    std::optional<Diagnostic>
    placeWorkers(CollectedFile &file, KnownRanks &known,
                 const std::function<std::optional<int>()> &fallbackRank) const;
    NextIds write(CollectedFile &file, const JobControl &control);
    void writeArgs(CollectedFile &file);
    void saveDiagnostics();

    Database db;
    Diagnostics diagnostics;
    StringPool names;
    std::size_t savedNames = 0;
    NextIds next;
    KnownRanks ranks;
};

ProjectWriter::Private::Private(const std::filesystem::path &path, bool append)
    : db(path, modeFor(path, append))
{
    rollBackKilledWrite(path);
    const bool isNew = std::filesystem::file_size(path) == 0;
    if (!isNew)
        bringUpToDate(db);
    // Before WAL: a kill then leaves an empty file or a project, nothing between.
    if (isNew) {
        db.execute("PRAGMA page_size = 16384");
        createSchema(db);
    }
    prepareForWriting();
    readExisting();
}

void ProjectWriter::Private::prepareForWriting()
{
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
    ranks = KnownRanks(db);
    const std::vector<Track> tracks = readTracks(db, workers.size());
    next.worker = WorkerId(static_cast<std::uint32_t>(workers.size()));
    next.track = TrackId(static_cast<std::uint32_t>(tracks.size()));
    if (!tracks.empty())
        next.slice = SliceId(tracks.back().firstSlice.value + tracks.back().sliceCount);
    next.args = static_cast<std::uint64_t>(
        db.integer("SELECT coalesce(max(first_ordinal + count), 0) FROM args_block"));
    next.tensor = TensorId(static_cast<std::uint32_t>(db.integer("SELECT count(*) FROM tensor")));
    for (const Diagnostic &diagnostic : readDiagnostics(db))
        diagnostics.add(diagnostic);
}

std::optional<Diagnostic>
ProjectWriter::Private::placeWorkers(CollectedFile &file, KnownRanks &known,
                                     const std::function<std::optional<int>()> &fallbackRank) const
{
    WorkerId nextId = next.worker;
    for (CollectedFile::CollectedWorker &collected : file.workers) {
        if (!collected.rank && file.workers.size() == 1)
            collected.rank = fallbackRank();
        if (!collected.rank)
            return Diagnostic { "unknown-rank", Severity::Error, 1, file.source.name, {},
                                UnknownRank };
        collected.worker.rank = *collected.rank;
        const RankPart part = { *collected.rank, file.source.name, file.source.format,
                                file.rangeOf(collected.worker.id) };
        if (auto refusal = known.refusal(part))
            return refusal;
        const auto existing = known.workerOf(part.rank);
        collected.isNew = !existing;
        collected.projectId = existing.value_or(nextId);
        nextId.value += existing ? 0 : 1;
        known.add(part, collected.projectId);
    }
    return std::nullopt;
}

void ProjectWriter::Private::writeArgs(CollectedFile &file)
{
    Statement insert(db, "INSERT INTO args_block VALUES (?, ?, ?, ?)");
    Statement insertFilter(db, "INSERT INTO args_filter VALUES (?, ?)");
    std::uint64_t ordinal = next.args;
    file.args.takeBlocks(file.spillFile(), [&](const CompressedArgs &block) {
        insert.bindAll(ordinal, block.count, block.rawBytes, ByteSpan(block.data)).run();
        insertFilter.bindAll(ordinal, ByteSpan(block.filter)).run();
        ordinal += block.count;
    });
}

NextIds ProjectWriter::Private::write(CollectedFile &file, const JobControl &control)
{
    names.shrink(savedNames); // those of a file that could not be written
    file.fileId = insertSourceFile(db, file.source);
    WorkerFinisher finisher(db, file, next, names, diagnostics);
    insertNames(db, names, savedNames);
    for (CollectedFile::CollectedWorker &collected : file.workers)
        finisher.finish(collected, control);
    writeArgs(file);
    for (const JobMetadata &metadata : file.jobMetadata)
        insertMetadata(db, metadata);
    replaceDiagnostics(db, diagnostics.list());
    return finisher.nextIds();
}

void ProjectWriter::Private::saveDiagnostics()
{
    Transaction saving(db);
    replaceDiagnostics(db, diagnostics.list());
    saving.commit();
}

ProjectWriter::ProjectWriter(const std::filesystem::path &path, bool append)
    : d(std::make_unique<Private>(path, append))
{
}

ProjectWriter::~ProjectWriter() = default;

Diagnostics &ProjectWriter::diagnostics()
{
    return d->diagnostics;
}

bool ProjectWriter::add(CollectedFile &file,
                        const std::function<std::optional<int>()> &fallbackRank,
                        const JobControl &control)
{
    d->diagnostics.merge(file.diagnostics());
    KnownRanks known = d->ranks;
    if (const auto refusal = d->placeWorkers(file, known, fallbackRank)) {
        d->diagnostics.add(*refusal);
        file.source.status = FileStatus::Skipped;
        file.source.reason = refusal->message;
        addFile(file.source);
        return false;
    }
    Transaction transaction(d->db);
    const NextIds next = d->write(file, control);
    transaction.commit();
    d->next = next;
    d->savedNames = d->names.size();
    d->ranks = std::move(known);
    return true;
}

void ProjectWriter::addFile(const SourceFile &file)
{
    Transaction transaction(d->db);
    insertSourceFile(d->db, file);
    transaction.commit();
}

bool ProjectWriter::hasRead(std::string_view name, std::uint64_t storedBytes) const
{
    return hasReadFile(d->db, name, storedBytes);
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
