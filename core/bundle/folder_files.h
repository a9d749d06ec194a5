#pragma once

#include "core/base/diagnostics.h"
#include "core/base/job_control.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace core {

/// Of a folder's links that lead out of it, of its pipes, sockets and devices, and of what cannot
/// be read, each: further ones are counted together.
inline constexpr std::size_t MostLeftOutNamed = 1000;

/// The files of a folder and of the folders in it, without hidden ones and without symbolic links
/// that lead out of it; in no order, as texts: a path takes several times the memory. Folders that
/// cannot be entered ("unreadable-folder") and files and links that cannot be looked at
/// ("unreadable-file") are counted as errors and left out. Throws Error if the folder itself cannot
/// be entered or is one of the kernel's own (/proc), Cancelled.
std::vector<std::string> filesOfFolder(const std::filesystem::path &folder,
                                       Diagnostics &diagnostics, const JobControl &control);

} // namespace core
