#pragma once

#include "core/sqlite/database.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace core {

/// The database of a project that is added to. One that exists is only read, in the shape of this
/// version, until begin(); from then to the end of the import it is marked as unfinished, see
/// UnfinishedImport.
class WritableProject
{
public:
    /// Creates the project, or opens it when it exists and `append` is set. inputs: what is
    /// imported. Throws Error where it exists against expectation or does not, or cannot be
    /// written.
    WritableProject(const std::filesystem::path &path, bool append,
                    std::vector<std::string> inputs);
    ~WritableProject();
    WritableProject(const WritableProject &) = delete;
    WritableProject &operator=(const WritableProject &) = delete;

    /// Another one after begin() returned true.
    Database &db() { return *m_db; }
    const std::vector<std::string> &inputs() const { return m_inputs; }
    bool isWriting() const { return m_isWriting; }
    /// An earlier import did not come to its end.
    bool wasUnfinished() const { return m_wasUnfinished; }
    /// Begins to change an existing project, after bringing it up to date; returns whether that was
    /// to be done. Another program may have added to it in between.
    bool begin();
    /// Moves what is in the WAL to the project's file, unless someone reads it. Throws Error,
    /// saying where the data is, if the file cannot take it (the disk is full).
    void checkpoint();
    /// checkpoint(), and removes the WAL, so that the project is one file.
    void leaveOneFile();

private:
    void createNew();
    void openExisting();
    void prepareForWriting();

    std::filesystem::path m_path;
    std::vector<std::string> m_inputs;
    std::unique_ptr<Database> m_db;
    bool m_isWriting = false;
    bool m_wasUnfinished = false;
};

} // namespace core
