#pragma once

#include "core/project/read/project_reader.h"
#include "core/sqlite/database.h"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// What a project says of the files of its bundles: those that earlier imports have read, and
/// those that they, or this one, have not.
class ImportedFiles
{
public:
    ImportedFiles() = default;
    /// Those of an existing project.
    explicit ImportedFiles(Database &db);

    /// The file of this name and size that an earlier import read; nullptr: none.
    const SourceFile *readBefore(std::string_view name, std::uint64_t storedBytes) const;
    /// A file is read, or not, once more: what earlier imports said of it is no longer true.
    /// False: they said nothing.
    bool supersede(const std::string &name);
    /// A file that this import has not read, and why.
    void addUnread(const SourceFile &file);
    /// Says something else of files that this import has not read.
    void replaceUnread(const std::vector<SourceFile> &files);
    /// Removes what was superseded and what is said of `readNow`, a file that is read in this
    /// transaction, and inserts the unread ones. In the caller's transaction; markWritten() once it
    /// is committed.
    void write(Database &db, const std::string &readNow = {}) const;
    void markWritten();

private:
    std::map<std::pair<std::string, std::uint64_t>, SourceFile> m_readBefore; ///< by name and size
    std::set<std::string> m_unreadBefore; ///< names of files that earlier imports did not read
    std::vector<std::string> m_superseded; ///< of these, to be removed
    std::vector<SourceFile> m_unread; ///< not written yet
};

} // namespace core
