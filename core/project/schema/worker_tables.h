#pragma once

#include "core/model/trace.h"
#include "core/project/codec/string_pool.h"
#include "core/sqlite/database.h"

#include <string>
#include <vector>

// Ranks, their rows, and names: worker, worker_file, event_count, track and name as values; one
// function a table and direction. Readers check what they read, that ids are dense and exist and
// times are possible, and throw Error.

namespace core {

/// A worker whose first file is `file`.
void insertWorker(Database &db, const Worker &worker, FileId file);
/// What another file says about a worker that is there: adds its events, and what was not known.
void addToWorker(Database &db, const Worker &worker, FileId file);
std::vector<Worker> readWorkers(Database &db);

void insertTrack(Database &db, const Track &track);
std::vector<Track> readTracks(Database &db, std::size_t workerCount);

/// Writes the names from id `from` on.
void insertNames(Database &db, const StringPool &names, std::size_t from);
std::vector<std::string> readNames(Database &db);

} // namespace core
