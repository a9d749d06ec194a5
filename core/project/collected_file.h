#pragma once

#include "core/project/collected_track.h"
#include "core/project/record_chunks.h"

#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace core {

/// What has been read of one file of the bundle. Its ids continue those of the project.
class CollectedFile
{
public:
    CollectedFile(std::string name, WorkerId firstWorker, TrackId firstTrack);

    WorkerId addWorker();
    void describeWorker(WorkerId worker, const WorkerInfo &info);
    void countEvents(WorkerId worker, std::string_view category, std::uint64_t count);
    TrackId track(WorkerId worker, const TrackSpec &spec);
    /// Equal names of a worker give the same tensor; ids count from 0 in the file.
    TensorId tensor(WorkerId worker, const TensorRecord &record);
    void memory(WorkerId worker, const MemoryEvent &event);
    void dependency(WorkerId worker, const DependencyEdge &edge);
    CollectedTrack &at(TrackId track) { return tracks[track.value - m_firstTrack.value]; }
    /// The tracks of one worker, as indices of `tracks`.
    std::vector<std::size_t> tracksOf(WorkerId worker) const;

    struct CollectedWorker
    {
        Worker worker; ///< rank is set at the end
        std::optional<int> rank;
        MemoryChunks memory;
        DependencyChunks dependencies;
    };

    std::string name;
    std::vector<CollectedWorker> workers;
    std::vector<CollectedTrack> tracks;
    std::vector<Tensor> tensors;
    std::vector<Iteration> iterations;
    std::vector<JobMetadata> metadata;
    Compressor compressor; ///< of the records' chunks

private:
    CollectedWorker &workerAt(WorkerId id) { return workers[id.value - m_firstWorker.value]; }

    WorkerId m_firstWorker;
    TrackId m_firstTrack;
    std::unordered_map<std::string, std::size_t> m_trackByKey;
    std::map<std::pair<WorkerId, std::string>, TensorId> m_tensorByName;
    std::size_t m_lastTrack = 0; ///< most slices come from the track of the one before
};

} // namespace core
