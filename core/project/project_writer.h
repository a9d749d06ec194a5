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
    /// `file`. Ids follow from the order in which files are added. A rank that the project has from
    /// a file of another format is continued. `fallbackRank` answers with the rank where the
    /// importer found none in the content (file name, folder, user). Returns false, with a
    /// diagnostic, and keeps of the file only why it was skipped, when its rank is unknown, in the
    /// project already in this format, or of another time. Throws Cancelled, and then keeps nothing
    /// of the file.
    bool add(CollectedFile &file, const std::function<std::optional<int>()> &fallbackRank,
             const JobControl &control);

    /// Records a file that was not read, and why; one transaction.
    void addFile(const SourceFile &file);
    /// A file of this name and size was read, now or by an earlier import.
    bool hasRead(std::string_view name, std::uint64_t storedBytes) const;
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
