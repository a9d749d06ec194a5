#pragma once

#include <filesystem>

namespace core {

/// Refuses a database whose own file, or one of those that SQLite takes from beside it ("-journal",
/// "-wal", "-shm"), cannot be this program's: a link, a pipe or a device, or a journal that names
/// another file, which SQLite's recovery would delete. Throws Error naming the file and the remedy.
void checkCompanionFiles(const std::filesystem::path &database);

} // namespace core
