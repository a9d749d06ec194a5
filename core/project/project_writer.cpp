#include "core/project/project_writer.h"

#include "core/project/migration.h"
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
    /// The ranks of the project with the file's; empty if the file cannot be taken.
    std::optional<std::set<int>>
    resolveRanks(CollectedFile &file, const std::function<std::optional<int>()> &fallbackRank);
    bool resolveRank(const CollectedFile &file, CollectedFile::CollectedWorker &collected,
                     std::set<int> &taken, const std::function<std::optional<int>()> &fallbackRank);
    NextIds write(CollectedFile &file, const JobControl &control);
    void writeArgs(CollectedFile &file);
    void saveDiagnostics();

    Database db;
    Diagnostics diagnostics;
    StringPool names;
    std::size_t savedNames = 0;
    NextIds next;
    std::set<int> ranks;
};

ProjectWriter::Private::Private(const std::filesystem::path &path, bool append)
    : db(path, modeFor(path, append))
{
    const bool isNew = std::filesystem::file_size(path) == 0;
    if (!isNew)
        bringUpToDate(db);
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

bool ProjectWriter::Private::resolveRank(const CollectedFile &file,
                                         CollectedFile::CollectedWorker &collected,
                                         std::set<int> &taken,
                                         const std::function<std::optional<int>()> &fallbackRank)
{
    if (!collected.rank && file.workers.size() == 1)
        collected.rank = fallbackRank();
    if (!collected.rank) {
        diagnostics.count("unknown-rank", Severity::Error, { file.source.name, {} },
                          "The trace does not say which rank it is, nor does its name; rename it "
                          "to rank<N>.json, put it into a folder rank<N>, or give it with --rank "
                          "FILE=N on the command line.");
        return false;
    }
    collected.worker.rank = *collected.rank;
    if (!taken.insert(*collected.rank).second) {
        diagnostics.count("duplicate-rank", Severity::Error, { file.source.name, {} },
                          "Rank " + std::to_string(*collected.rank)
                              + " is in the project already; import one trace a rank.");
        return false;
    }
    return true;
}

std::optional<std::set<int>>
ProjectWriter::Private::resolveRanks(CollectedFile &file,
                                     const std::function<std::optional<int>()> &fallbackRank)
{
    std::set<int> taken = ranks;
    for (CollectedFile::CollectedWorker &collected : file.workers)
        if (!resolveRank(file, collected, taken, fallbackRank))
            return std::nullopt;
    return taken;
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
    const auto ranks = d->resolveRanks(file, fallbackRank);
    if (!ranks)
        return false;
    Transaction transaction(d->db);
    const NextIds next = d->write(file, control);
    transaction.commit();
    d->next = next;
    d->savedNames = d->names.size();
    d->ranks = *ranks;
    return true;
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
