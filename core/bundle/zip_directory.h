#pragma once

#include "core/bundle/zip_archive.h"

#include <filesystem>
#include <memory>
#include <vector>

class QFile;
class QuaZip;

namespace core {

/// An archive opened for reading, whatever bytes its path has.
class ZipDirectory
{
public:
    /// Throws Error if it has no readable directory.
    explicit ZipDirectory(const std::filesystem::path &archive);
    ~ZipDirectory();
    ZipDirectory(const ZipDirectory &) = delete;
    ZipDirectory &operator=(const ZipDirectory &) = delete;

    QuaZip *operator->() const { return m_zip.get(); }

private:
    std::unique_ptr<QFile> m_file;
    std::unique_ptr<QuaZip> m_zip; ///< reads m_file
};

/// Files, folders included, that the directory of an archive lists, under their stored names and in
/// its order. Throws Error if the directory is damaged, lists more than zip::MostMembers, or lists
/// members that overlap: what it says is then not to be relied on; and Cancelled.
std::vector<ZipMember> listZipDirectory(const std::filesystem::path &archive,
                                        const JobControl &control);

} // namespace core
