#include "core/project/write/project_writer.h"

#include "core/project/read/file_clocks.h"
#include "core/project/schema/import_tables.h"
#include "core/project/schema/timing_tables.h"
#include "core/project/schema/worker_tables.h"
#include "core/project/write/imported_files.h"
#include "core/project/write/known_ranks.h"
#include "core/project/write/rank_placement.h"
#include "core/project/write/recording_choice.h"
#include "core/project/write/same_content.h"
#include "core/project/write/unfinished_import.h"
#include "core/project/write/worker_finisher.h"
#include "core/project/write/writable_project.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace core {

namespace {

    Diagnostic alreadyThere(const std::string &file, const std::string &twin)
    {
        const std::string from = twin == file ? "from an earlier import" : "from " + twin;
        return { "already-imported",
                 Severity::Info,
                 1,
                 file,
                 {},
                 "The project has the records of this file already, " + from
                     + "; it was left out, and nothing is lost." };
    }

    Diagnostic duplicateRank(const SourceFile &file)
    {
        return { "duplicate-rank", Severity::Error, 1, file.name, {}, file.reason, false };
    }

} // namespace

struct ProjectWriter::Private
{
    Private(const std::filesystem::path &path, bool append, std::vector<std::string> inputs);

    /// Of what is in the project: names, ranks, and the ids to go on with.
    void readExisting();
    /// Begins to change the project; returns whether that was to be done.
    bool beginWriting();
    /// The file of the project that holds all that `file` does; nullptr: none.
    const KnownFile *twinOf(const CollectedFile &file);
    /// Of an unfinished import whose rest can no longer be read.
    void countMissing(const std::string &input);
    AddResult leaveOut(CollectedFile &file, const Diagnostic &reason, AddResult result);
    AddResult refuse(CollectedFile &file, const RankPlacement &placed);
    /// Gives files that are not in the project another reason.
    void leaveOutFor(const std::vector<SourceFile> &reasons);
    NextIds write(CollectedFile &file, const JobControl &control);
    void writeArgs(CollectedFile &file);
    /// A file is read, or not, once more: what earlier imports said of it is no longer true.
    void supersede(const std::string &name);

    WritableProject project;
    ImportedFiles files;
    Diagnostics diagnostics, ownDiagnostics;
    StringPool names;
    std::size_t savedNames = 0;
    NextIds next;
    KnownRanks ranks;
    std::size_t filesAdded = 0;
    std::vector<SourceFile> displaced;
    std::vector<SeenFile> seen;
    bool hasRefused = false; ///< one of them
};

ProjectWriter::Private::Private(const std::filesystem::path &path, bool append,
                                std::vector<std::string> inputs)
    : project(path, append, std::move(inputs))
{
    readExisting();
    for (const Diagnostic &diagnostic : readDiagnostics(project.db()))
        diagnostics.add(diagnostic);
    files = ImportedFiles(project.db());
}

bool ProjectWriter::Private::beginWriting()
{
    if (!project.begin())
        return false;
    readExisting(); // another program may have added something
    return true;
}

void ProjectWriter::Private::readExisting()
{
    Database &db = project.db();
    names = StringPool();
    for (const std::string &name : readNames(db))
        names.intern(name);
    savedNames = static_cast<std::size_t>(db.integer("SELECT count(*) FROM name"));
    if (names.size() != std::max<std::size_t>(savedNames, 1))
        db.failDamaged("a name occurs twice");
    const std::vector<Worker> workers = readWorkers(db);
    ranks = KnownRanks(db);
    const std::vector<Track> tracks = readTracks(db, workers.size());
    next = {};
    next.worker = WorkerId(static_cast<std::uint32_t>(workers.size()));
    next.track = TrackId(static_cast<std::uint32_t>(tracks.size()));
    if (!tracks.empty())
        next.slice = SliceId(tracks.back().firstSlice.value + tracks.back().sliceCount);
    next.args = static_cast<std::uint64_t>(
        db.integer("SELECT coalesce(max(first_ordinal + count), 0) FROM args_block"));
    next.tensor = TensorId(static_cast<std::uint32_t>(db.integer("SELECT count(*) FROM tensor")));
}

const KnownFile *ProjectWriter::Private::twinOf(const CollectedFile &file)
{
    for (const CollectedFile::CollectedWorker &collected : file.workers)
        if (collected.rank)
            if (const KnownFile *known = ranks.fileOf(*collected.rank, file.source.format))
                return hasSameContent(project.db(), file, known->id) ? known : nullptr;
    return nullptr;
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
    files.addUnread(file.source);
    diagnostics.merge(found);
    ownDiagnostics.merge(found);
    return result;
}

AddResult ProjectWriter::Private::refuse(CollectedFile &file, const RankPlacement &placed)
{
    if (const KnownFile *twin = twinOf(file))
        return leaveOut(file, alreadyThere(file.source.name, twin->name), AddResult::AlreadyThere);
    seen.push_back({ file.source, placed.parts, false });
    hasRefused = true;
    if (placed.displaced) {
        std::erase_if(displaced, [&placed](const SourceFile &one) {
            return one.name == placed.displaced->name;
        });
        for (SourceFile known : readSourceFiles(project.db(), readWorkers(project.db())))
            if (known.name == placed.displaced->name && known.status == FileStatus::Read) {
                known.status = FileStatus::Skipped;
                known.reason = placed.displaced->reason;
                displaced.push_back(std::move(known));
            }
    }
    return leaveOut(file, *placed.refusal, AddResult::Refused);
}

void ProjectWriter::Private::leaveOutFor(const std::vector<SourceFile> &reasons)
{
    std::set<std::string_view> concerned;
    for (const SourceFile &file : reasons)
        concerned.insert(file.name);
    for (Diagnostics *all : { &diagnostics, &ownDiagnostics }) {
        Diagnostics changed;
        for (const Diagnostic &one : all->list())
            if (!concerned.contains(one.file))
                changed.add(one);
        for (const SourceFile &file : reasons)
            changed.add(duplicateRank(file));
        *all = changed;
    }
    files.replaceUnread(reasons);
}

void ProjectWriter::Private::countMissing(const std::string &input)
{
    Diagnostics found;
    found.count(
        "missing-input", Severity::Warning, { input, {} },
        "The import of this was interrupted, and it is no longer there: what had not been "
        "read of it is not in the project. If it lies elsewhere now, import it together with the "
        "others into a new project, or add it with longpole import --append.");
    diagnostics.merge(found);
    ownDiagnostics.merge(found);
}

void ProjectWriter::Private::writeArgs(CollectedFile &file)
{
    Database &db = project.db();
    Statement insert(db, "INSERT INTO args_block VALUES (?, ?, ?, ?)");
    Statement insertFilter(db, "INSERT INTO args_filter VALUES (?, ?)");
    std::uint64_t ordinal = next.args;
    file.args.takeBlocks(file.spillFile(), [&](const CompressedArgs &block) {
        insert.bindAll(ordinal, block.count, block.rawBytes, ByteSpan(block.data)).run();
        insertFilter.bindAll(ordinal, ByteSpan(block.filter)).run();
        ordinal += block.count;
    });
}

void ProjectWriter::Private::supersede(const std::string &name)
{
    if (!files.supersede(name))
        return;
    Diagnostics kept;
    for (const Diagnostic &diagnostic : diagnostics.list())
        if (diagnostic.file != name)
            kept.add(diagnostic);
    diagnostics = kept;
}

NextIds ProjectWriter::Private::write(CollectedFile &file, const JobControl &control)
{
    Database &db = project.db();
    names.shrink(savedNames); // those of a file that could not be written
    files.write(db, file.source.name);
    file.fileId = insertSourceFile(db, file.source);
    WorkerFinisher finisher(db, file, next, names);
    insertNames(db, names, savedNames);
    for (CollectedFile::CollectedWorker &collected : file.workers)
        finisher.finish(collected, control);
    writeArgs(file);
    for (const JobMetadata &metadata : file.jobMetadata)
        insertMetadata(db, metadata);
    core::addDiagnostics(db, file.diagnostics().list());
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
    RankPlacement placed;
    do {
        placed = placeWorkers(file, d->ranks, d->next.worker, fallbackRank);
        if (placed.refusal)
            return d->refuse(file, placed);
    } while (d->beginWriting()); // then the places may be others
    Transaction transaction(d->project.db());
    const NextIds next = d->write(file, control);
    transaction.commit();
    ++d->filesAdded;
    d->seen.push_back({ file.source, placed.parts, true });
    d->supersede(file.source.name); // not before: a cancelled file stays one that is not read
    d->files.markWritten();
    addDiagnostics(file.diagnostics());
    d->next = next;
    d->savedNames = d->names.size();
    for (std::size_t i = 0; i < placed.parts.size(); ++i)
        d->ranks.add(placed.parts[i], file.workers[i].projectId, file.fileId);
    return AddResult::Added;
}

const std::vector<SourceFile> &ProjectWriter::displaced() const
{
    return d->displaced;
}

void ProjectWriter::chooseRecordings()
{
    if (!d->hasRefused)
        return;
    const SmallerRecordings smaller = smallerRecordings(d->seen);
    if (smaller.isTaken) {
        std::set<std::string_view> names;
        for (const SourceFile &file : smaller.files)
            names.insert(file.name);
        std::erase_if(d->displaced,
                      [&names](const SourceFile &one) { return names.contains(one.name); });
        d->displaced.insert(d->displaced.end(), smaller.files.begin(), smaller.files.end());
    } else if (!smaller.files.empty()) {
        d->leaveOutFor(smaller.files);
    }
}

void ProjectWriter::addFile(const SourceFile &file)
{
    d->supersede(file.name);
    d->files.addUnread(file);
}

const SourceFile *ProjectWriter::readBefore(std::string_view name, std::uint64_t storedBytes) const
{
    return d->files.readBefore(name, storedBytes);
}

bool ProjectWriter::continuesUnfinished() const
{
    return d->project.wasUnfinished();
}

bool ProjectWriter::hasChanges() const
{
    return d->project.isWriting();
}

std::size_t ProjectWriter::filesAdded() const
{
    return d->filesAdded;
}

void ProjectWriter::addMetadata(const JobMetadata &metadata)
{
    if (hasMetadata(d->project.db(), metadata))
        return;
    d->beginWriting();
    Transaction replacing(d->project.db());
    replaceMetadata(d->project.db(), metadata);
    replacing.commit();
}

void ProjectWriter::setFileClocks(const std::vector<FileClock> &clocks)
{
    d->beginWriting();
    replaceFileClocks(d->project.db(), clocks);
}

void ProjectWriter::setIterations(const std::vector<Iteration> &iterations)
{
    d->beginWriting();
    replaceFoundIterations(d->project.db(), iterations);
}

void ProjectWriter::setAlignment(const AlignmentReport &solved)
{
    d->beginWriting();
    replaceAlignment(d->project.db(), solved);
}

void ProjectWriter::setClocksByHand(const ClocksByHand &byHand, const AlignmentReport &used)
{
    d->beginWriting();
    replaceClocksByHand(d->project.db(), byHand, used);
}

void ProjectWriter::finish(ImportEnd end)
{
    d->beginWriting();
    Transaction saving(d->project.db());
    d->files.write(d->project.db());
    replaceDiagnostics(d->project.db(), d->diagnostics.list());
    saving.commit();
    d->files.markWritten();
    // Before the mark goes: the disk may be full. What follows needs no more space.
    d->project.checkpoint();
    Transaction ending(d->project.db());
    if (end == ImportEnd::Complete)
        for (const std::string &missing :
             clearUnfinishedImport(d->project.db(), d->project.inputs()))
            d->countMissing(missing);
    replaceDiagnostics(d->project.db(), d->diagnostics.list());
    ending.commit();
    d->project.leaveOneFile();
}

} // namespace core
