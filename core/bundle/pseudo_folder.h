#pragma once

#include <filesystem>
#include <string_view>

namespace core {

/// The name of the pseudo file system of the kernel that the folder is in ("proc", "sysfs", ...);
/// empty: in none. Its files are the kernel's answers, not traces, and reading some of them waits
/// for ever or changes something.
std::string_view pseudoFileSystemOf(const std::filesystem::path &folder);

} // namespace core
