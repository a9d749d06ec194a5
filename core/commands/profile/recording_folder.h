#pragma once

#include <filesystem>

namespace core {

/// The folder that a job records into, claimed from before the job to its end.
class RecordingFolder
{
public:
    /// Makes it. Throws Error if it cannot be written to, which a job would find out after hours,
    /// and, unless it is shared with other runs of the command, if something is in it or another
    /// job records into it.
    RecordingFolder(const std::filesystem::path &folder, bool isShared);
    ~RecordingFolder();
    RecordingFolder(const RecordingFolder &) = delete;
    RecordingFolder &operator=(const RecordingFolder &) = delete;

private:
    RecordingFolder() = default;

    int m_descriptor = -1; ///< holds the claim; -1: shared, or a file system without locks
};

} // namespace core
