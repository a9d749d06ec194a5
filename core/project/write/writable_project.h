#pragma once

#include "core/sqlite/database.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace core {

/// The database of a project that is added to. An existing project is only read until begin().
/// From then to the end of the import it is marked as unfinished, see UnfinishedImport.
class WritableProject
{
public:
    /// Creates the project; opens an existing one if `append` is set. inputs: files and folders
    /// that are imported. Throws Error if the project exists against expectation, does not exist,
    /// or cannot be written.
    WritableProject(const std::filesystem::path &path, bool append,
                    std::vector<std::string> inputs);
    ~WritableProject();
    WritableProject(const WritableProject &) = delete;
    WritableProject &operator=(const WritableProject &) = delete;

    Database &db() { return *m_db; }
    const std::vector<std::string> &inputs() const { return m_inputs; }
    bool isWriting() const { return m_isWriting; }
    /// True if an earlier import did not come to its end.
    bool wasUnfinished() const { return m_wasUnfinished; }
    /// Begins to change the project. False: it had begun before. After true, another program may
    /// have added to the project since it was opened.
    bool begin();
    /// Moves the write-ahead log into the project's file, unless another program reads it.
    /// Throws Error, saying where the data is, if the file cannot take it (the disk is full).
    void checkpoint();
    /// Calls checkpoint(), then removes the write-ahead log: the project is one file.
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
