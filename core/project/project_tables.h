#pragma once

#include "core/project/project_reader.h"
#include "core/project/string_pool.h"
#include "core/sqlite/database.h"

#include <span>

// The small tables as values: one function a table and direction.

namespace core {

/// Also its counts of events. `ranks` follow from workers.
FileId insertSourceFile(Database &db, const SourceFile &file);
/// Forgets what earlier imports say of a file that they did not read, also its diagnostics.
void removeUnreadFile(Database &db, std::string_view name);
/// A worker whose first file is `file`.
void insertWorker(Database &db, const Worker &worker, FileId file);
/// What another file says about a worker that is there: adds its events, and what was not known.
void addToWorker(Database &db, const Worker &worker, FileId file);
void insertTrack(Database &db, const Track &track);
/// Writes the names from id `from` on.
void insertNames(Database &db, const StringPool &names, std::size_t from);
void insertIterations(Database &db, std::span<const Iteration> iterations);
bool hasStatedIterations(Database &db, WorkerId worker);
void replaceIterations(Database &db, std::span<const Iteration> iterations);
void replaceAlignment(Database &db, const AlignmentReport &report);
void replaceDiagnostics(Database &db, std::span<const Diagnostic> diagnostics);
/// Adds their counts to those that are there.
void addDiagnostics(Database &db, std::span<const Diagnostic> diagnostics);
/// Whether the project has a description of this name and text.
bool hasMetadata(Database &db, const JobMetadata &metadata);
/// Does nothing if the project has it.
void insertMetadata(Database &db, const JobMetadata &metadata);
/// Takes the place of all of its name. In the caller's transaction.
void replaceMetadata(Database &db, const JobMetadata &metadata);

// Readers check what they read: ids are dense and exist, times are possible. They throw Error.
std::vector<std::string> readNames(Database &db);
std::vector<Worker> readWorkers(Database &db);
std::vector<Track> readTracks(Database &db, std::size_t workerCount);
std::vector<Iteration> readIterations(Database &db, std::size_t workerCount);
AlignmentReport readAlignment(Database &db, std::size_t workerCount);
std::vector<Diagnostic> readDiagnostics(Database &db);
std::vector<JobMetadata> readMetadata(Database &db);
std::vector<SourceFile> readSourceFiles(Database &db, std::span<const Worker> workers);

} // namespace core
