#pragma once

#include "core/base/job_control.h"
#include "core/project/collected_file.h"
#include "core/project/string_pool.h"
#include "core/project/track_writer.h"
#include "core/sqlite/database.h"

namespace core {

/// The ids that the next file begins with.
struct NextIds
{
    WorkerId worker;
    TrackId track;
    TensorId tensor;
    SliceId slice;
    std::uint64_t args = 0; ///< ordinal of its first text
};

/// Turns the collected tracks of a file into finished ones and writes them, worker by worker, so
/// that only one worker's columns are in memory. Ids of the file become those of the project.
class WorkerFinisher
{
public:
    /// file.fileId is set. Adds the file's names to `names`, and its tensors to the project.
    WorkerFinisher(Database &db, CollectedFile &file, const NextIds &first, StringPool &names,
                   Diagnostics &diagnostics);

    void finish(CollectedFile::CollectedWorker &worker, const JobControl &control);
    /// After all workers are finished: of the file after this one.
    NextIds nextIds() const;

private:
    struct Columns;
    WorkerId idOf(WorkerId worker) const; ///< in the project
    void writeTensors();
    void writeIterations();
    void writeRecords(WorkerId worker, CollectedFile::CollectedWorker &collected);
    void sortAndNest(WorkerId worker, CollectedTrack &track, Columns &columns);

    Database &m_db;
    CollectedFile &m_file;
    NextIds m_first;
    const StringPool &m_names;
    Diagnostics &m_diagnostics;
    std::vector<NameId> m_nameIds; ///< of the project, by the file's
    SliceId m_nextSlice;
    TrackWriter m_trackWriter;
};

} // namespace core
