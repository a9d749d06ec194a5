#include "core/project/project_tables.h"

#include "core/base/sentence.h"
#include "core/project/checked_values.h"

#include <array>
#include <limits>

namespace core {

namespace {

    constexpr std::array TrackKinds
        = { TrackKind::HostThread,    TrackKind::Stream,     TrackKind::StreamSync,
            TrackKind::Communication, TrackKind::Annotation, TrackKind::Other };
    constexpr std::array Severities = { Severity::Info, Severity::Warning, Severity::Error };
    constexpr double MaxDriftPpm = 1e4;

    TrackKind trackKindNamed(std::string_view name)
    {
        for (const TrackKind kind : TrackKinds)
            if (trackKindName(kind) == name)
                return kind;
        return TrackKind::Other;
    }

    Severity severityNamed(std::string_view name)
    {
        for (const Severity severity : Severities)
            if (severityName(severity) == name)
                return severity;
        return Severity::Warning;
    }

    FileStatus fileStatusNamed(std::string_view name)
    {
        for (const FileStatus status : { FileStatus::Read, FileStatus::Skipped })
            if (fileStatusName(status) == name)
                return status;
        return FileStatus::Failed;
    }

    void insertEventCounts(Database &db, const Worker &worker)
    {
        Statement insert(db,
                         "INSERT INTO event_count VALUES (?, ?, ?) ON CONFLICT (worker, category) "
                         "DO UPDATE SET count = count + excluded.count");
        for (const auto &[category, count] : worker.eventsByCategory)
            insert.bindAll(std::int64_t(worker.id.value), std::string_view(category), count).run();
    }

    std::string textProperty(Database &db, std::string_view key)
    {
        Statement select(db, "SELECT value FROM property WHERE key = ?");
        select.bindAll(key);
        return select.step() ? select.text(0) : std::string();
    }

    std::uint64_t numberProperty(Database &db, std::string_view key)
    {
        Statement select(db, "SELECT value FROM property WHERE key = ?");
        select.bindAll(key);
        return select.step() ? select.natural(0) : 0;
    }

    void insertWorkerFiles(Database &db, const Worker &worker, FileId file)
    {
        Statement insert(db, "INSERT INTO worker_file VALUES (?, ?, ?)");
        for (const std::string &name : worker.files)
            insert
                .bindAll(std::int64_t(worker.id.value), std::string_view(name),
                         std::int64_t(file.value))
                .run();
    }

    template <class Value>
    void setProperty(Database &db, std::string_view key, const Value &value)
    {
        Statement(db, "REPLACE INTO property VALUES (?, ?)").bindAll(key, value).run();
    }

} // namespace

FileId insertSourceFile(Database &db, const SourceFile &file)
{
    const std::string reason = sentence(file.reason);
    Statement(db, "INSERT INTO source_file VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)")
        .bindAll(std::string_view(file.name), std::string_view(file.format), file.storedBytes,
                 fileStatusName(file.status), std::string_view(reason), file.modifiedNs,
                 std::string_view(file.fingerprint))
        .run();
    const std::int64_t id = db.integer("SELECT max(id) FROM source_file");
    Statement insert(db, "INSERT INTO file_event_count VALUES (?, ?, ?)");
    for (const auto &[category, count] : file.eventsByCategory)
        insert.bindAll(id, std::string_view(category), count).run();
    return FileId(static_cast<std::uint32_t>(id));
}

void removeUnreadFile(Database &db, std::string_view name)
{
    for (const char *sql :
         { "DELETE FROM file_event_count WHERE file IN (SELECT id FROM source_file WHERE name = ?)",
           "DELETE FROM source_file WHERE name = ?", "DELETE FROM diagnostic WHERE file = ?" })
        Statement(db, sql).bindAll(name).run();
}

void insertWorker(Database &db, const Worker &worker, FileId file)
{
    const auto id = std::int64_t(worker.id.value);
    Statement insert(db, "INSERT INTO worker VALUES (?, ?, ?, ?)");
    insert.bindAll(id, worker.rank, std::string_view(worker.host), worker.worldSize).run();
    insertWorkerFiles(db, worker, file);
    insertEventCounts(db, worker);
}

void addToWorker(Database &db, const Worker &worker, FileId file)
{
    const auto id = std::int64_t(worker.id.value);
    Statement(db,
              "UPDATE worker SET host = CASE host WHEN '' THEN ? ELSE host END, "
              "world_size = coalesce(world_size, ?) WHERE id = ?")
        .bindAll(std::string_view(worker.host), worker.worldSize, id)
        .run();
    insertWorkerFiles(db, worker, file);
    insertEventCounts(db, worker);
}

void insertTrack(Database &db, const Track &track)
{
    Statement insert(db, "INSERT INTO track VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    insert
        .bindAll(std::int64_t(track.id.value), std::int64_t(track.worker.value),
                 trackKindName(track.kind), std::string_view(track.pid),
                 std::string_view(track.tid), std::string_view(track.name), track.device,
                 track.firstSlice.value, track.sliceCount, std::int64_t(track.depthCount),
                 track.range.startNs, track.range.endNs, std::int64_t(track.file.value))
        .run();
}

void insertNames(Database &db, const StringPool &names, std::size_t from)
{
    Statement insert(db, "INSERT INTO name VALUES (?, ?)");
    for (std::size_t id = from; id < names.size(); ++id)
        insert
            .bindAll(static_cast<std::uint64_t>(id),
                     names.text(NameId(static_cast<std::uint32_t>(id))))
            .run();
}

void insertIterations(Database &db, std::span<const Iteration> iterations)
{
    Statement insert(db, "INSERT INTO iteration VALUES (?, ?, ?, ?, ?)");
    for (const Iteration &iteration : iterations)
        insert
            .bindAll(std::int64_t(iteration.worker.value), iteration.index, iteration.range.startNs,
                     iteration.range.endNs, int(iteration.isStated))
            .run();
}

bool hasStatedIterations(Database &db, WorkerId worker)
{
    Statement select(db, "SELECT 1 FROM iteration WHERE worker = ? AND is_stated");
    return select.bindAll(std::int64_t(worker.value)).step();
}

void replaceIterations(Database &db, std::span<const Iteration> iterations)
{
    Transaction transaction(db);
    db.execute("DELETE FROM iteration");
    insertIterations(db, iterations);
    transaction.commit();
}

void replaceAlignment(Database &db, const AlignmentReport &report)
{
    Transaction transaction(db);
    db.execute("DELETE FROM alignment");
    Statement insert(db, "INSERT INTO alignment VALUES (?, ?, ?, ?, ?, ?, ?)");
    for (const Alignment &a : report.workers)
        insert
            .bindAll(std::int64_t(a.worker.value), a.offsetNs, a.driftPpm, a.driftFromNs,
                     a.residualNs, int(a.isReference), int(a.isKnown))
            .run();
    setProperty(db, "alignment.violations_before", report.violationsBefore);
    setProperty(db, "alignment.violations_after", report.violationsAfter);
    setProperty(db, "alignment.method", std::string_view(report.method));
    setProperty(db, "alignment.status", std::string_view(report.status));
    transaction.commit();
}

void replaceDiagnostics(Database &db, std::span<const Diagnostic> diagnostics)
{
    db.execute("DELETE FROM diagnostic");
    addDiagnostics(db, diagnostics);
}

void addDiagnostics(Database &db, std::span<const Diagnostic> diagnostics)
{
    Statement insert(db,
                     "INSERT INTO diagnostic VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (code, file) "
                     "DO UPDATE SET count = count + excluded.count");
    for (const Diagnostic &d : diagnostics) {
        const std::string message = sentence(d.message);
        insert
            .bindAll(std::string_view(d.code), severityName(d.severity), d.count,
                     std::string_view(d.file), d.firstOffset, std::string_view(message),
                     int(d.losesRecords))
            .run();
    }
}

bool hasMetadata(Database &db, const JobMetadata &metadata)
{
    Statement select(db, "SELECT 1 FROM job_metadata WHERE name = ? AND text = ?");
    return select.bindAll(std::string_view(metadata.name), std::string_view(metadata.text)).step();
}

void insertMetadata(Database &db, const JobMetadata &metadata)
{
    if (!hasMetadata(db, metadata))
        Statement(db, "INSERT INTO job_metadata VALUES (NULL, ?, ?)")
            .bindAll(std::string_view(metadata.name), std::string_view(metadata.text))
            .run();
}

void replaceMetadata(Database &db, const JobMetadata &metadata)
{
    Statement(db, "DELETE FROM job_metadata WHERE name = ?")
        .bindAll(std::string_view(metadata.name))
        .run();
    insertMetadata(db, metadata);
}

std::string_view fileStatusName(FileStatus status)
{
    switch (status) {
    case FileStatus::Read:
        return "read";
    case FileStatus::Skipped:
        return "skipped";
    case FileStatus::Failed:
        break;
    }
    return "failed";
}

std::vector<std::string> readNames(Database &db)
{
    std::vector<std::string> names;
    Statement select(db, "SELECT id, text FROM name ORDER BY id");
    while (select.step()) {
        if (select.natural(0) != names.size())
            db.failDamaged("a name is missing");
        names.push_back(select.text(1));
    }
    if (names.empty())
        names.emplace_back();
    return names;
}

std::vector<Worker> readWorkers(Database &db)
{
    std::vector<Worker> workers;
    Statement select(db, "SELECT id, rank, host, world_size FROM worker ORDER BY id");
    while (select.step()) {
        if (select.natural(0) != workers.size())
            db.failDamaged("a worker is missing");
        Worker worker;
        worker.id = WorkerId(static_cast<std::uint32_t>(workers.size()));
        worker.rank = static_cast<int>(select.integer(1));
        worker.host = select.text(2);
        worker.worldSize = select.optional<int>(3);
        workers.push_back(std::move(worker));
    }
    Statement files(db, "SELECT worker, file FROM worker_file ORDER BY rowid");
    while (files.step())
        workers[checkedId<WorkerId>(db, files, 0, workers.size()).value].files.push_back(
            files.text(1));
    Statement counts(db, "SELECT worker, category, count FROM event_count");
    while (counts.step())
        workers[checkedId<WorkerId>(db, counts, 0, workers.size()).value]
            .eventsByCategory[counts.text(1)]
            = counts.natural(2);
    return workers;
}

std::vector<Track> readTracks(Database &db, std::size_t workerCount)
{
    std::vector<Track> tracks;
    std::uint64_t nextSlice = 0;
    Statement select(db,
                     "SELECT id, worker, kind, pid, tid, name, device, first_slice, slice_count, "
                     "depth_count, raw_start_ns, raw_end_ns, file FROM track ORDER BY id");
    while (select.step()) {
        Track track;
        track.id = TrackId(static_cast<std::uint32_t>(tracks.size()));
        track.worker = checkedId<WorkerId>(db, select, 1, workerCount);
        track.kind = trackKindNamed(select.text(2));
        track.pid = select.text(3);
        track.tid = select.text(4);
        track.name = select.text(5);
        track.device = select.optional<int>(6);
        track.firstSlice = SliceId(select.natural(7));
        track.sliceCount = select.natural(8);
        track.depthCount = static_cast<std::uint32_t>(select.integer(9));
        track.range = checkedRange(db, select, 10);
        track.file = FileId(static_cast<std::uint32_t>(select.natural(12)));
        if (select.natural(0) != tracks.size() || track.firstSlice.value != nextSlice
            || track.sliceCount > std::numeric_limits<std::uint32_t>::max()
            || track.depthCount > 256)
            db.failDamaged("a track is missing");
        nextSlice += track.sliceCount;
        tracks.push_back(std::move(track));
    }
    return tracks;
}

std::vector<Iteration> readIterations(Database &db, std::size_t workerCount)
{
    std::vector<Iteration> iterations;
    Statement select(db,
                     "SELECT worker, number, raw_start_ns, raw_end_ns, is_stated FROM iteration "
                     "ORDER BY worker, raw_start_ns");
    while (select.step())
        iterations.push_back({ checkedId<WorkerId>(db, select, 0, workerCount), select.integer(1),
                               checkedRange(db, select, 2), select.integer(4) != 0 });
    return iterations;
}

namespace {

    Alignment readAlignmentRow(Database &db, const Statement &row, WorkerId worker)
    {
        Alignment a;
        a.worker = worker;
        a.offsetNs = row.integer(1);
        a.driftPpm = row.real(2);
        a.driftFromNs = checkedTime(db, row, 3);
        a.residualNs = row.integer(4);
        a.isReference = row.integer(5) != 0;
        a.isKnown = row.integer(6) != 0;
        const bool isSane = a.offsetNs >= -MaxDurationNs && a.offsetNs <= MaxDurationNs
            && a.driftPpm >= -MaxDriftPpm && a.driftPpm <= MaxDriftPpm;
        if (!isSane)
            db.failDamaged("an impossible clock offset");
        return a;
    }

} // namespace

AlignmentReport readAlignment(Database &db, std::size_t workerCount)
{
    AlignmentReport report;
    Statement select(db,
                     "SELECT worker, offset_ns, drift_ppm, drift_from_ns, residual_ns, "
                     "is_reference, is_known FROM alignment ORDER BY worker");
    while (select.step()) {
        // Workers appended since the last alignment have none yet.
        report.workers.resize(workerCount);
        const auto worker = checkedId<WorkerId>(db, select, 0, workerCount);
        report.workers[worker.value] = readAlignmentRow(db, select, worker);
    }
    for (std::uint32_t i = 0; i < report.workers.size(); ++i)
        report.workers[i].worker = WorkerId(i);
    report.violationsBefore = numberProperty(db, "alignment.violations_before");
    report.violationsAfter = numberProperty(db, "alignment.violations_after");
    report.method = textProperty(db, "alignment.method");
    report.status = textProperty(db, "alignment.status");
    return report;
}

std::vector<Diagnostic> readDiagnostics(Database &db)
{
    Diagnostics diagnostics; // sorts them
    Statement select(
        db,
        "SELECT code, severity, count, file, first_offset, message, loses_records FROM diagnostic");
    while (select.step())
        diagnostics.add({ select.text(0), severityNamed(select.text(1)), select.natural(2),
                          select.text(3), select.optional<std::uint64_t>(4), select.text(5),
                          select.integer(6) != 0 });
    return diagnostics.list();
}

std::vector<JobMetadata> readMetadata(Database &db)
{
    std::vector<JobMetadata> all;
    Statement select(db, "SELECT name, text FROM job_metadata ORDER BY id");
    while (select.step())
        all.push_back({ select.text(0), select.text(1) });
    return all;
}

std::vector<SourceFile> readSourceFiles(Database &db, std::span<const Worker> workers)
{
    std::vector<SourceFile> files;
    std::map<std::int64_t, std::size_t> place; // by id
    Statement select(
        db,
        "SELECT id, name, format, stored_bytes, status, reason, modified_ns, fingerprint "
        "FROM source_file ORDER BY id");
    while (select.step()) {
        place[select.integer(0)] = files.size();
        SourceFile file;
        file.id = FileId(static_cast<std::uint32_t>(select.integer(0)));
        file.name = select.text(1);
        file.format = select.text(2);
        file.storedBytes = select.natural(3);
        file.status = fileStatusNamed(select.text(4));
        file.reason = select.text(5);
        file.modifiedNs = select.optional<std::int64_t>(6);
        file.fingerprint = select.text(7);
        files.push_back(std::move(file));
    }
    Statement counts(db, "SELECT file, category, count FROM file_event_count");
    while (counts.step())
        if (const auto found = place.find(counts.integer(0)); found != place.end())
            files[found->second].eventsByCategory[counts.text(1)] = counts.natural(2);
    Statement ranks(db,
                    "SELECT source_file, worker FROM worker_file WHERE source_file IS NOT NULL "
                    "ORDER BY worker");
    while (ranks.step())
        if (const auto found = place.find(ranks.integer(0)); found != place.end())
            files[found->second].ranks.push_back(
                workers[checkedId<WorkerId>(db, ranks, 1, workers.size()).value].rank);
    return files;
}

} // namespace core
