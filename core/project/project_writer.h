#pragma once

#include "core/base/diagnostics.h"
#include "core/base/job_control.h"
#include "core/project/collected_file.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

namespace core {

/// Writes a project file. A file of the bundle is all or nothing: add() is one transaction. One
/// thread at a time. Throws Error on any failure of the file system or SQLite.
class ProjectWriter
{
public:
    /// Creates the project, or opens it for appending when it exists and `append` is set; throws
    /// when it exists and `append` is not set.
    ProjectWriter(const std::filesystem::path &path, bool append);
    ~ProjectWriter();
    ProjectWriter(const ProjectWriter &) = delete;
    ProjectWriter &operator=(const ProjectWriter &) = delete;

    /// Of the project so far.
    Diagnostics &diagnostics();
    /// Sorts, nests, finds phases and writes what was read of a file, and its diagnostics; empties
    /// `file`. Ids
    /// follow from the order in which files are added. `fallbackRank` answers with the rank where
    /// the importer found none in the content (file name, folder, user). Returns false, with a
    /// diagnostic, and keeps nothing else of the file when its rank is unknown or already in the
    /// project. Throws
    /// Cancelled, and then too keeps nothing of the file.
    bool add(CollectedFile &file, const std::function<std::optional<int>()> &fallbackRank,
             const JobControl &control);

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
