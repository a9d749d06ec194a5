#include "core/project/project_writer.h"

#include "core/project/known_ranks.h"
#include "core/project/migration.h"
#include "core/project/project_tables.h"
#include "core/project/same_content.h"
#include "core/project/schema.h"
#include "core/project/unfinished_import.h"
#include "core/project/worker_finisher.h"

#include <algorithm>
#include <map>
#include <set>

namespace core {

namespace {

    OpenMode modeFor(const std::filesystem::path &path, bool append)
    {
        if (!std::filesystem::exists(path) && append)
            throw Error("there is no such project to add to; check its name, or leave out --append "
                        "to create it",
                        { path.string(), {} });
        if (!std::filesystem::exists(path))
            return OpenMode::Create;
        if (!append)
            throw Error("the project exists already; choose another name, or add to it with "
                        "--append",
                        { path.string(), {} });
        return OpenMode::ReadWrite;
    }

    constexpr const char *UnknownRank
        = "The trace does not say which rank it is, nor does its name; rename it so that its name "
          "begins with rank<N>, put it into a folder rank<N>, or give it with --rank FILE=N on the "
          "command line.";

    Diagnostic alreadyThere(const std::string &file)
    {
        return { "already-imported",
                 Severity::Info,
                 1,
                 file,
                 {},
                 "What this file holds is in the project already; it was skipped." };
    }

} // namespace

struct ProjectWriter::Private
{
    Private(const std::filesystem::path &path, bool append, std::vector<std::string> inputs);
    ~Private();

    void leaveOneFile();
    void openExisting();
    void createNew();
    void prepareForWriting();
    /// Begins to change an existing project; returns whether that was to be done.
    bool beginWriting();
    void readExisting();
    /// Finds the place of each worker of the file in the project; why the file cannot be taken.
    std::optional<Diagnostic> placeWorkers(CollectedFile &file,
                                           const std::function<std::optional<int>()> &fallbackRank);
    /// A file with all that it holds is in the project already.
    bool isThere(const CollectedFile &file);
    /// Of an unfinished import whose rest can no longer be read.
    void countMissing(const std::string &input);
    AddResult leaveOut(CollectedFile &file, const Diagnostic &reason, AddResult result);
    NextIds write(CollectedFile &file, const JobControl &control);
    void writeArgs(CollectedFile &file);
    /// A file is read, or not, once more: what earlier imports said of it is no longer true.
    void supersede(const std::string &name);
    /// Both in the caller's transaction; unreadIsWritten() once it is committed.
    void removeSuperseded();
    void writeUnread();
    void unreadIsWritten();

    std::filesystem::path path;
    std::vector<std::string> inputs; ///< of this import
    std::unique_ptr<Database> db; ///< of an older project: only reads until beginWriting()
    bool isWriting = false;
    bool wasUnfinished = false;
    Diagnostics diagnostics, ownDiagnostics;
    StringPool names;
    std::size_t savedNames = 0;
    NextIds next;
    KnownRanks ranks;
    std::map<std::pair<std::string, std::uint64_t>, SourceFile> readBefore; ///< by name and size
    std::set<std::string> unreadBefore; ///< names of files that earlier imports did not read
    std::vector<std::string> superseded; ///< of these, to be removed
    std::vector<SourceFile> unread; ///< not written yet
    std::vector<RankPart> parts; ///< of the file that is placed
};

ProjectWriter::Private::Private(const std::filesystem::path &file, bool append,
                                std::vector<std::string> newInputs)
    : path(file)
    , inputs(std::move(newInputs))
    , db(std::make_unique<Database>(path, modeFor(path, append)))
{
    rollBackKilledWrite(path);
    // A killed import may have left nothing but the file's name.
    if (std::filesystem::file_size(path) == 0)
        createNew();
    else
        openExisting();
}

ProjectWriter::Private::~Private()
{
    leaveOneFile();
}

void ProjectWriter::Private::leaveOneFile()
{
    if (!db) // it could not be opened for writing
        return;
    // Fails only while someone reads the project; it then stays in WAL mode, as valid as before.
    db->tryExecute("PRAGMA wal_checkpoint(TRUNCATE)");
    db->tryExecute("PRAGMA journal_mode = DELETE");
}

void ProjectWriter::Private::createNew()
{
    // Before WAL: a kill then leaves an empty file or a project, nothing between.
    db->execute("PRAGMA page_size = 16384");
    createSchema(*db);
    prepareForWriting();
    readExisting();
}

void ProjectWriter::Private::openExisting()
{
    const int version = checkIsProject(*db);
    {
        const Transaction probe(*db); // says at once if it cannot be written
    }
    if (version != ProjectVersion) {
        db = std::make_unique<Database>(path, OpenMode::Read);
        readAsCurrent(*db, version);
    }
    readExisting();
    wasUnfinished = readUnfinishedImport(*db).has_value();
    for (const Diagnostic &diagnostic : readDiagnostics(*db))
        diagnostics.add(diagnostic);
    const std::vector<SourceFile> files = readSourceFiles(*db, readWorkers(*db));
    for (const SourceFile &source : files)
        if (source.status == FileStatus::Read)
            readBefore.emplace(std::pair(source.name, source.storedBytes), source);
        else
            unreadBefore.insert(source.name);
    for (const SourceFile &source : files)
        if (source.status == FileStatus::Read)
            unreadBefore.erase(source.name);
}

bool ProjectWriter::Private::beginWriting()
{
    if (isWriting)
        return false;
    db.reset();
    db = std::make_unique<Database>(path, OpenMode::ReadWrite);
    bringUpToDate(*db);
    prepareForWriting();
    readExisting(); // another program may have added something
    return true;
}

void ProjectWriter::Private::prepareForWriting()
{
    Statement(*db, "PRAGMA journal_mode = WAL").run();
    db->execute("PRAGMA synchronous = NORMAL");
    db->execute("PRAGMA cache_size = -8192"); // KiB: chunks are written once and not read back
    db->execute("PRAGMA wal_autocheckpoint = 1000");
    Transaction marking(*db);
    markUnfinishedImport(*db, inputs);
    marking.commit();
    isWriting = true;
}

void ProjectWriter::Private::readExisting()
{
    names = StringPool();
    for (const std::string &name : readNames(*db))
        names.intern(name);
    savedNames = static_cast<std::size_t>(db->integer("SELECT count(*) FROM name"));
    if (names.size() != std::max<std::size_t>(savedNames, 1))
        db->failDamaged("a name occurs twice");
    const std::vector<Worker> workers = readWorkers(*db);
    ranks = KnownRanks(*db);
    const std::vector<Track> tracks = readTracks(*db, workers.size());
    next = {};
    next.worker = WorkerId(static_cast<std::uint32_t>(workers.size()));
    next.track = TrackId(static_cast<std::uint32_t>(tracks.size()));
    if (!tracks.empty())
        next.slice = SliceId(tracks.back().firstSlice.value + tracks.back().sliceCount);
    next.args = static_cast<std::uint64_t>(
        db->integer("SELECT coalesce(max(first_ordinal + count), 0) FROM args_block"));
    next.tensor = TensorId(static_cast<std::uint32_t>(db->integer("SELECT count(*) FROM tensor")));
}

std::optional<Diagnostic>
ProjectWriter::Private::placeWorkers(CollectedFile &file,
                                     const std::function<std::optional<int>()> &fallbackRank)
{
    parts.clear();
    KnownRanks own; // of this file
    WorkerId nextId = next.worker;
    for (CollectedFile::CollectedWorker &collected : file.workers) {
        if (!collected.rank && file.workers.size() == 1)
            collected.rank = fallbackRank();
        if (!collected.rank)
            return Diagnostic {
                "unknown-rank", Severity::Error, 1, file.source.name, {}, UnknownRank, false
            };
        collected.worker.rank = *collected.rank;
        const RankPart part = { *collected.rank, file.source.name, file.source.format,
                                file.rangeOf(collected.worker.id) };
        for (const KnownRanks *known : { &ranks, &own })
            if (auto refusal = known->refusal(part))
                return refusal;
        const auto existing = ranks.workerOf(part.rank);
        collected.isNew = !existing;
        collected.projectId = existing.value_or(nextId);
        nextId.value += existing ? 0 : 1;
        own.add(part, collected.projectId, {});
        parts.push_back(part);
    }
    return std::nullopt;
}

bool ProjectWriter::Private::isThere(const CollectedFile &file)
{
    for (const CollectedFile::CollectedWorker &collected : file.workers)
        if (collected.rank)
            if (const auto known = ranks.fileOf(*collected.rank, file.source.format))
                return hasSameContent(*db, file, *known);
    return false;
}

AddResult ProjectWriter::Private::leaveOut(CollectedFile &file, const Diagnostic &reason,
                                           AddResult result)
{
    supersede(file.source.name);
    // What its records are like does not concern the project: none of them is there.
    Diagnostics found;
    found.add(reason);
    file.source.status = FileStatus::Skipped;
    file.source.reason = reason.message;
    unread.push_back(file.source);
    diagnostics.merge(found);
    ownDiagnostics.merge(found);
    return result;
}

void ProjectWriter::Private::countMissing(const std::string &input)
{
    Diagnostics found;
    found.count(
        "missing-input", Severity::Warning, { input, {} },
        "The import of this was interrupted, and it is no longer there: what had not been "
        "read of it is not in the project. If it lies elsewhere now, add it with --append.");
    diagnostics.merge(found);
    ownDiagnostics.merge(found);
}

void ProjectWriter::Private::writeArgs(CollectedFile &file)
{
    Statement insert(*db, "INSERT INTO args_block VALUES (?, ?, ?, ?)");
    Statement insertFilter(*db, "INSERT INTO args_filter VALUES (?, ?)");
    std::uint64_t ordinal = next.args;
    file.args.takeBlocks(file.spillFile(), [&](const CompressedArgs &block) {
        insert.bindAll(ordinal, block.count, block.rawBytes, ByteSpan(block.data)).run();
        insertFilter.bindAll(ordinal, ByteSpan(block.filter)).run();
        ordinal += block.count;
    });
}

void ProjectWriter::Private::supersede(const std::string &name)
{
    if (unreadBefore.erase(name) == 0)
        return;
    Diagnostics kept;
    for (const Diagnostic &diagnostic : diagnostics.list())
        if (diagnostic.file != name)
            kept.add(diagnostic);
    diagnostics = kept;
    superseded.push_back(name);
}

void ProjectWriter::Private::removeSuperseded()
{
    for (const std::string &name : superseded)
        removeUnreadFile(*db, name);
}

void ProjectWriter::Private::writeUnread()
{
    for (const SourceFile &source : unread)
        insertSourceFile(*db, source);
}

void ProjectWriter::Private::unreadIsWritten()
{
    superseded.clear();
    unread.clear();
}

NextIds ProjectWriter::Private::write(CollectedFile &file, const JobControl &control)
{
    names.shrink(savedNames); // those of a file that could not be written
    removeSuperseded();
    if (unreadBefore.contains(file.source.name))
        removeUnreadFile(*db, file.source.name);
    writeUnread();
    file.fileId = insertSourceFile(*db, file.source);
    WorkerFinisher finisher(*db, file, next, names);
    insertNames(*db, names, savedNames);
    for (CollectedFile::CollectedWorker &collected : file.workers)
        finisher.finish(collected, control);
    writeArgs(file);
    for (const JobMetadata &metadata : file.jobMetadata)
        insertMetadata(*db, metadata);
    core::addDiagnostics(*db, file.diagnostics().list());
    return finisher.nextIds();
}

ProjectWriter::ProjectWriter(const std::filesystem::path &path, bool append,
                             std::vector<std::string> inputs)
    : d(std::make_unique<Private>(path, append, std::move(inputs)))
{
}

ProjectWriter::~ProjectWriter() = default;

Diagnostics &ProjectWriter::diagnostics()
{
    return d->diagnostics;
}

const Diagnostics &ProjectWriter::ownDiagnostics() const
{
    return d->ownDiagnostics;
}

void ProjectWriter::addDiagnostics(const Diagnostics &found)
{
    d->diagnostics.merge(found);
    d->ownDiagnostics.merge(found);
}

AddResult ProjectWriter::add(CollectedFile &file,
                             const std::function<std::optional<int>()> &fallbackRank,
                             const JobControl &control)
{
    do {
        const auto refusal = d->placeWorkers(file, fallbackRank);
        if (refusal && d->isThere(file))
            return d->leaveOut(file, alreadyThere(file.source.name), AddResult::AlreadyThere);
        if (refusal)
            return d->leaveOut(file, *refusal, AddResult::Refused);
    } while (d->beginWriting()); // then the places may be others
    Transaction transaction(*d->db);
    const NextIds next = d->write(file, control);
    transaction.commit();
    d->supersede(file.source.name); // not before: a cancelled file stays one that is not read
    d->unreadIsWritten();
    addDiagnostics(file.diagnostics());
    d->next = next;
    d->savedNames = d->names.size();
    for (std::size_t i = 0; i < d->parts.size(); ++i)
        d->ranks.add(d->parts[i], file.workers[i].projectId, file.fileId);
    return AddResult::Added;
}

void ProjectWriter::addFile(const SourceFile &file)
{
    d->supersede(file.name);
    d->unread.push_back(file);
}

const SourceFile *ProjectWriter::readBefore(std::string_view name, std::uint64_t storedBytes) const
{
    const auto known = d->readBefore.find(std::pair(std::string(name), storedBytes));
    return known == d->readBefore.end() ? nullptr : &known->second;
}

bool ProjectWriter::continuesUnfinished() const
{
    return d->wasUnfinished;
}

bool ProjectWriter::hasChanges() const
{
    return d->isWriting;
}

void ProjectWriter::addMetadata(const JobMetadata &metadata)
{
    if (hasMetadata(*d->db, metadata))
        return;
    d->beginWriting();
    Transaction replacing(*d->db);
    replaceMetadata(*d->db, metadata);
    replacing.commit();
}

void ProjectWriter::setIterations(const std::vector<Iteration> &iterations)
{
    d->beginWriting();
    replaceIterations(*d->db, iterations);
}

void ProjectWriter::setAlignment(const AlignmentReport &report)
{
    d->beginWriting();
    replaceAlignment(*d->db, report);
}

void ProjectWriter::finish(ImportEnd end)
{
    d->beginWriting();
    Transaction ending(*d->db);
    d->removeSuperseded();
    d->writeUnread();
    if (end == ImportEnd::Complete)
        for (const std::string &missing : clearUnfinishedImport(*d->db, d->inputs))
            d->countMissing(missing);
    replaceDiagnostics(*d->db, d->diagnostics.list());
    ending.commit();
    d->unreadIsWritten();
    d->leaveOneFile();
}

} // namespace core
