#pragma once

#include "core/base/diagnostics.h"
#include "core/model/trace_sink.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace core {

/// Writes a project file. A file of the bundle is all or nothing: beginFile() opens a transaction,
/// endFile() commits or discards what came between. Throws Error on any failure of the file system
/// or SQLite.
class ProjectWriter : public TraceSink
{
public:
    /// Creates the project, or opens it for appending when it exists and `append` is set; throws
    /// when it exists and `append` is not set.
    ProjectWriter(const std::filesystem::path &path, bool append);
    ~ProjectWriter() override;
    ProjectWriter(const ProjectWriter &) = delete;
    ProjectWriter &operator=(const ProjectWriter &) = delete;

    /// Begins the transaction. storedSize: bytes on disk or in the archive.
    void beginFile(const std::string &name, std::string_view format, std::uint64_t storedSize);
    /// Sorts, nests, finds phases and writes what was collected since beginFile(). `fallbackRank`
    /// answers with the rank where the importer found none in the content (file name, folder,
    /// user). Returns false, with a diagnostic, and keeps nothing of the file when its rank is
    /// unknown or already in the project.
    bool endFile(const std::function<std::optional<int>()> &fallbackRank);
    void discardFile();

    // TraceSink
    Diagnostics &diagnostics() override;
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

    void addMetadata(const JobMetadata &metadata);
    void setIterations(const std::vector<Iteration> &iterations);
    void setAlignment(const AlignmentReport &report);
    /// Saves diagnostics and leaves the file consistent and compact (WAL checkpointed). Call once,
    /// at the end.
    void finish();

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace core
