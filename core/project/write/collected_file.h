#pragma once

#include "core/project/codec/record_chunks.h"
#include "core/project/codec/string_pool.h"
#include "core/project/read/project_reader.h"
#include "core/project/write/args_collector.h"
#include "core/project/write/collected_track.h"

#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace core {

/// Of one file, whatever the memory; see MaximumTracks, too.
constexpr std::size_t MaxWorkers = 65'536;

/// How much memory a file may take while it is read, and where the rest of it goes.
struct CollectLimits
{
    std::size_t memoryBytes = std::numeric_limits<std::size_t>::max();
    std::filesystem::path spillFolder = {}; ///< see SpillFile
    /// See PhaseLinks; while the file is written.
    std::size_t linksBytes = std::numeric_limits<std::size_t>::max();
};

/// What is read of one file of the bundle, until ProjectWriter::add() takes it. Its ids (workers,
/// tracks, names, tensors, args) count from 0 in the file, so files can be read at the same time;
/// each by one thread. Slices and their arguments beyond the memory limit go to a temporary file,
/// and memory events and dependencies beyond a share of it. What must stay in memory (workers,
/// tracks, names, tensors, calls, dependencies between names, and what the importer holds) has a
/// share of the limit each; what exceeds it is left out and counted.
class CollectedFile : public TraceSink
{
public:
    explicit CollectedFile(SourceFile source, CollectLimits limits = {});

    // TraceSink
    Diagnostics &diagnostics() override { return m_diagnostics; }
    std::size_t importerBytes() const override;
    NameId intern(std::string_view text) override;
    WorkerId addWorker() override;
    void describeWorker(WorkerId worker, const WorkerInfo &info) override;
    TrackId track(WorkerId worker, const TrackSpec &spec) override;
    void nameTrack(TrackId track, std::string_view name) override;
    void slice(TrackId track, const SliceRecord &record) override;
    TensorId tensor(WorkerId worker, const TensorRecord &record) override;
    void memory(WorkerId worker, const MemoryEvent &event) override;
    void dependency(WorkerId worker, const DependencyEdge &edge) override;
    void iteration(WorkerId worker, std::int64_t index, TimeRange range) override;
    void metadata(std::string_view name, std::string_view text) override;
    void countEvents(WorkerId worker, std::string_view category, std::uint64_t count) override;

    const CollectLimits &limits() const { return m_limits; }
    /// What did not fit into memory; null: all did.
    SpillFile *spillFile() const { return m_spillFile.get(); }
    /// First start and last end of a worker's slices, raw clock; absent without slices.
    std::optional<TimeRange> rangeOf(WorkerId worker) const;
    /// Whether a device of the worker did anything.
    bool hasDeviceWork(WorkerId worker) const;

    struct CollectedWorker
    {
        Worker worker; ///< rank is set at the end
        std::optional<int> rank;
        WorkerId projectId; ///< set when the file is written
        bool isNew = true; ///< not one that the project has from other files; set with it
        std::vector<std::size_t> tracks; ///< indices of CollectedFile::tracks
        MemoryChunks memory;
        DependencyChunks dependencies;
    };

    SourceFile source;
    FileId fileId; ///< in the project; set when the file is written
    StringPool names;
    ArgsCollector args;
    std::vector<CollectedWorker> workers; ///< by WorkerId
    std::vector<CollectedTrack> tracks; ///< by TrackId
    std::vector<Tensor> tensors; ///< by TensorId
    std::vector<Iteration> iterations;
    std::vector<JobMetadata> jobMetadata;
    Compressor compressor; ///< of the records' chunks

private:
    bool has(WorkerId worker) const { return worker.value < workers.size(); }
    /// Bytes: a part of the memory limit, but not too little to be of use.
    std::size_t shareOf(std::size_t part) const;
    /// Counts what is left out; `what` is "rows of the timeline", say.
    void leaveOut(std::string_view code, std::string_view what);
    /// The same where the limit is not one of memory.
    void leaveOutBeyond(std::size_t most, std::string_view code, std::string_view what);
    /// Counts what is kept without a part of it.
    void simplify(std::string_view code, std::string_view what);
    /// The arguments' ordinal + 1; 0 for none, and for more than a project takes.
    std::uint64_t addArgs(std::string_view text);
    /// The record without calls that do not fit.
    SliceRecord withinLimits(const SliceRecord &record);
    bool isPossible(std::int64_t timeNs);
    SliceRecord sane(const SliceRecord &record);
    void spill();
    SpillFile &openSpillFile();
    /// Adds to a worker's memory events or dependencies, where there is room for more.
    template <class Chunks, class Record>
    void addRecord(Chunks &chunks, const Record &record);
    void spillRecords();

    CollectLimits m_limits;
    std::size_t m_heldRows = 0; ///< slices in memory
    std::size_t m_trackBytes = 0, m_callBytes = 0, m_tensorBytes = 0,
                m_metadataBytes = 0; ///< about
    /// Of all workers' memory events and dependencies: what can be spilled, and what cannot.
    std::size_t m_recordBytes = 0, m_fixedRecordBytes = 0;
    std::unique_ptr<SpillFile> m_spillFile; ///< created at first need
    Diagnostics m_diagnostics;
    std::unordered_map<std::string, TrackId> m_trackByKey;
    std::map<std::pair<WorkerId, std::string>, TensorId> m_tensorByName;
    TrackId m_lastTrack; ///< most slices come from the track of the one before
};

} // namespace core
