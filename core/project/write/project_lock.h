#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace core {

/// The process that imports into a project.
struct ProjectImporter
{
    std::int64_t process = 0; ///< 0: it has not said so yet
    std::string host;

    /// "process 4711 on node1".
    std::string text() const;
};

/// Lets one import at a time write to a project. It is a lock of the operating system on a file
/// beside the project (P.longpole.lock), which the destructor removes; the lock ends with its
/// process, however that ends, and a file that is left behind locks nothing.
class ProjectLock
{
public:
    /// Throws Error, at once, naming the importer of a project that is imported into, or why the
    /// lock cannot be had. The project need not exist.
    explicit ProjectLock(const std::filesystem::path &project);
    ~ProjectLock();
    ProjectLock(const ProjectLock &) = delete;
    ProjectLock &operator=(const ProjectLock &) = delete;

private:
    std::filesystem::path m_file;
    int m_descriptor = -1;
};

/// Who imports into a project now; absent: nobody, or it cannot be told (the lock file is not
/// readable). Neither waits nor keeps an import from starting.
std::optional<ProjectImporter> importerOf(const std::filesystem::path &project);

} // namespace core
