#pragma once

#include <filesystem>

namespace core {

/// The file that a path stands for, also where it is a symbolic link to one that is not there yet,
/// which is created where the link leads. The path itself if it is no link.
std::filesystem::path linkTarget(std::filesystem::path path);

} // namespace core
