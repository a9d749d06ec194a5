#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace ui {

/// Where a file of a project's input lies.
struct FilePlace
{
    std::filesystem::path file; ///< itself, or the archive that holds it
    std::string member; ///< its path in the archive; empty: it lies there itself
};

/// Looks for a file by the name that the project has of it ("/data/run/rank0.json.gz",
/// "run.zip/rank0.json"). A relative name is looked for beside the project, then in the current
/// folder. Empty if it is not there (any more). Asks the file system: not for the GUI thread.
std::optional<FilePlace> findFile(const std::string &name, const std::filesystem::path &project);

} // namespace ui
