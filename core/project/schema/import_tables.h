#pragma once

#include "core/project/read/project_reader.h"
#include "core/sqlite/database.h"

#include <span>
#include <string_view>
#include <vector>

// What was imported, and what was found: source_file, file_event_count, diagnostic and
// job_metadata as values; one function a table and direction. Readers check what they read and
// throw Error.

namespace core {

/// Also its counts of events. `ranks` follow from workers.
FileId insertSourceFile(Database &db, const SourceFile &file);
/// Forgets what earlier imports say of a file that they did not read, also its diagnostics.
void removeUnreadFile(Database &db, std::string_view name);
std::vector<SourceFile> readSourceFiles(Database &db, std::span<const Worker> workers);

void replaceDiagnostics(Database &db, std::span<const Diagnostic> diagnostics);
/// Adds their counts to those that are there.
void addDiagnostics(Database &db, std::span<const Diagnostic> diagnostics);
std::vector<Diagnostic> readDiagnostics(Database &db);

/// Whether the project has a description of this name and text.
bool hasMetadata(Database &db, const JobMetadata &metadata);
/// Does nothing if the project has it.
void insertMetadata(Database &db, const JobMetadata &metadata);
/// Takes the place of all of its name. In the caller's transaction.
void replaceMetadata(Database &db, const JobMetadata &metadata);
std::vector<JobMetadata> readMetadata(Database &db);

} // namespace core
