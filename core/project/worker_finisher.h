#pragma once

#include "core/project/collected_file.h"
#include "core/project/string_pool.h"
#include "core/project/track_writer.h"
#include "core/sqlite/database.h"

namespace core {

/// Turns the collected tracks of a file into finished ones and writes them, worker by worker, so
/// that only one worker's columns are in memory.
class WorkerFinisher
{
public:
    WorkerFinisher(Database &db, const StringPool &names, Diagnostics &diagnostics);

    /// Track ids and slice ranges of `file` are already final.
    void finish(CollectedFile &file, WorkerId worker);

private:
    struct Columns;
    void sortAndNest(const std::string &file, CollectedTrack &track, Columns &columns);

    Database &m_db;
    const StringPool &m_names;
    Diagnostics &m_diagnostics;
    TrackWriter m_trackWriter;
};

} // namespace core
