#pragma once

#include <filesystem>

namespace core {

/// Whether a file is a project and not another program's SQLite database (a profiler's export, for
/// example): its header has a project's application id. A file called .longpole needs none, as the
/// id of a project whose writer was killed may still be in the write-ahead log. False for what
/// cannot be read; says nothing about damage.
bool isProjectFile(const std::filesystem::path &file);

/// Whether a project says that its import has not come to its end. False for what cannot be read:
/// opening it says why.
bool isUnfinishedProject(const std::filesystem::path &file);

} // namespace core
