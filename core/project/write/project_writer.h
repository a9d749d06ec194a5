#pragma once

#include "core/base/diagnostics.h"
#include "core/base/job_control.h"
#include "core/model/clocks.h"
#include "core/project/write/collected_file.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace core {

/// What became of a file.
enum class AddResult {
    Added,
    AlreadyThere, ///< the project has what it holds from another file, or from an earlier import
    Refused
};

/// How an import ends.
enum class ImportEnd {
    Complete,
    Cancelled ///< not all inputs were read: the project stays marked as unfinished
};

/// Writes a project file. A file of the bundle is all or nothing: add() is one transaction. An
/// existing project is not changed before there is something to add to it, and is marked as
/// unfinished from then until finish(). One thread at a time. Throws Error on any failure of the
/// file system or SQLite.
class ProjectWriter
{
public:
    /// Creates the project, or opens it for appending when it exists and `append` is set; throws
    /// when it exists and `append` is not set, and when it cannot be written. inputs: what is
    /// imported, as the user gave it; see UnfinishedImport.
    ProjectWriter(const std::filesystem::path &path, bool append,
                  std::vector<std::string> inputs = {});
    ~ProjectWriter();
    ProjectWriter(const ProjectWriter &) = delete;
    ProjectWriter &operator=(const ProjectWriter &) = delete;

    /// Of the project so far.
    Diagnostics &diagnostics();
    /// Of what was added here.
    const Diagnostics &ownDiagnostics() const;
    void addDiagnostics(const Diagnostics &found);
    /// Sorts, nests, finds phases and writes what was read of a file, and its diagnostics; empties
    /// `file`. Ids follow from the order in which files are added. A rank that the project has from
    /// a file of another format is continued. `fallbackRank` answers with the rank where the
    /// importer found none in the content (file name, folder, user). Is refused, with a diagnostic,
    /// when its rank is unknown, in the project already in this format, or of another time; of what
    /// is not added only the reason is kept. Throws Cancelled, and then keeps nothing of the file.
    AddResult add(CollectedFile &file, const std::function<std::optional<int>()> &fallbackRank,
                  const JobControl &control);

    /// Files that were added here and whose rank a later one, which was refused for it, has more
    /// of, see also chooseRecordings(); as skipped ones, with the reason. Who wants that later one
    /// writes the project anew without them.
    const std::vector<SourceFile> &displaced() const;
    /// Of a new project to which all files were added: if they are of several recordings that claim
    /// the same ranks, see smallerRecordings(), the smaller ones are displaced(), all files
    /// of them; or they were refused before, and that is what is said of them then.
    void chooseRecordings();

    /// Records a file that was not read, and why; with the next that is added, or by finish().
    void addFile(const SourceFile &file);
    /// The file of this name and size that an earlier import read; nullptr: none.
    const SourceFile *readBefore(std::string_view name, std::uint64_t storedBytes) const;
    /// An earlier import did not come to its end.
    bool continuesUnfinished() const;
    /// Something was written: finish() is needed.
    bool hasChanges() const;
    /// How many files add() has added: they stay, whatever becomes of the others.
    std::size_t filesAdded() const;
    /// A file about the job; replaces what the project has of its name. Does nothing if it is
    /// there.
    void addMetadata(const JobMetadata &metadata);
    void setFileClocks(const std::vector<FileClock> &clocks);
    void setIterations(const std::vector<Iteration> &iterations);
    void setAlignment(const AlignmentReport &solved);
    /// See saveClocksByHand().
    void setClocksByHand(const ClocksByHand &byHand, const AlignmentReport &used);
    /// Saves diagnostics and files that were not read, takes the mark of an unfinished import away
    /// (what it names and is no longer there becomes a diagnostic) and leaves the file consistent
    /// and compact (WAL checkpointed). Throws Error where the disk has no space for that; the mark
    /// is there then. Call once, at the end.
    void finish(ImportEnd end = ImportEnd::Complete);

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace core
