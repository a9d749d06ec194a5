#pragma once

#include "core/bundle/zip_archive.h"

#include <filesystem>
#include <memory>
#include <vector>

class QuaZip;

namespace core {

/// An archive opened for reading. Throws Error if it has no readable directory.
std::unique_ptr<QuaZip> openZipDirectory(const std::filesystem::path &archive);

/// Files, folders included, that the directory of an archive lists, under their stored names and in
/// its order. Throws Error if the directory is damaged, lists more than zip::MostMembers, or lists
/// members that overlap: what it says is then not to be relied on; and Cancelled.
std::vector<ZipMember> listZipDirectory(const std::filesystem::path &archive,
                                        const JobControl &control);

} // namespace core
