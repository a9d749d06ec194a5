#pragma once

#include "core/bundle/bundle.h"
#include "core/bundle/file_state.h"
#include "core/bundle/zip_archive.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace core {

/// Where an item is stored: a file, or a member of the archive at `path`.
struct LocatedItem
{
    BundleItem item;
    std::string path; ///< no fs::path, which takes several times the memory
    FileState state; ///< of the file at `path` when it was listed
    std::optional<ZipMember> member; ///< none: the file itself
};

/// The file, those of the folder, or the members of the archive at `path`, in natural order. What
/// cannot be listed, or only in part, is told in the diagnostics. Throws Error for what is none of
/// them or cannot be looked at, std::filesystem::filesystem_error for what cannot be read.
std::vector<LocatedItem> locateItems(const std::filesystem::path &path, Diagnostics &diagnostics,
                                     const JobControl &control);

} // namespace core
