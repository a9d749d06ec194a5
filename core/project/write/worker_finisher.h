#pragma once

#include "core/base/job_control.h"
#include "core/project/codec/string_pool.h"
#include "core/project/write/collected_file.h"
#include "core/project/write/track_survey.h"
#include "core/project/write/track_writer.h"
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

/// Turns the collected tracks of a file into finished ones and writes them while their slices
/// stream by, twice: first to learn what must be known of a whole track, then to write it. Ids of
/// the file become those of the project.
class WorkerFinisher
{
public:
    /// file.fileId and the workers' places in the project are set. Adds the file's names to
    /// `names`, and its tensors to the project.
    WorkerFinisher(Database &db, CollectedFile &file, const NextIds &first, StringPool &names);

    void finish(CollectedFile::CollectedWorker &worker, const JobControl &control);
    /// After all workers are finished: of the file after this one.
    NextIds nextIds() const;

private:
    /// Of a worker: which phases its slices take.
    struct WorkerPhases
    {
        bool hasSteps = false;
        PhaseLinks links;
    };
    WorkerId idOf(WorkerId worker) const; ///< in the project
    void writeTensors();
    void writeIterations();
    void writeRecords(WorkerId worker, CollectedFile::CollectedWorker &collected);
    std::vector<TrackSurvey> survey(std::span<const std::size_t> tracks, const JobControl &control);
    void write(WorkerId worker, CollectedTrack &track, const TrackSurvey &survey,
               WorkerPhases &phases, const JobControl &control);
    /// calls: gets the ids of the slices that have calls.
    void writeSlices(const CollectedTrack &track, const TrackSurvey &survey, WorkerPhases &phases,
                     std::vector<SliceId> &calls, const JobControl &control);
    void writeCalls(const CollectedTrack &track);
    void countDroppedLinks(std::uint64_t count);
    /// The part of the file's progress that the next pass over a track is.
    JobControl nextPart(const JobControl &control, const CollectedTrack &track);

    Database &m_db;
    CollectedFile &m_file;
    NextIds m_first;
    std::vector<NameId> m_nameIds; ///< of the project, by the file's
    NameMeanings m_meanings; ///< by the file's names
    std::vector<TensorId> m_tensorIds; ///< of the project, by the file's
    std::uint32_t m_newTensors = 0;
    SliceId m_nextSlice;
    std::uint64_t m_rowsDone = 0; ///< of both passes
    TrackStatements m_statements;
};

} // namespace core
