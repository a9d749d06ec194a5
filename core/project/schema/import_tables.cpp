#include "core/project/schema/import_tables.h"

#include "core/base/sentence.h"
#include "core/project/codec/checked_values.h"

#include <array>
#include <map>

namespace core {

namespace {

    constexpr std::array Severities = { Severity::Info, Severity::Warning, Severity::Error };

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

} // namespace core
