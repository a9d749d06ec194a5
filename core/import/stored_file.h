#pragma once

#include "core/base/diagnostics.h"
#include "core/base/job_control.h"
#include "core/bundle/bundle.h"

#include <cstdint>
#include <filesystem>

namespace core {

/// A bundle entry as a file on disk, for formats that need random access. A plain file is used
/// where it lies; a compressed one or a member of an archive is unpacked into the folder for
/// temporary files (TMPDIR) and removed at the end; if the program is killed, by the next that
/// unpacks something.
class StoredFile
{
public:
    /// Room that unpacking leaves on the disk.
    static constexpr std::uint64_t FreeBytesToLeave = std::uint64_t { 1 } << 30U;

    /// Of an entry that cannot be read to its end the file holds what could be read, and
    /// `diagnostics` why (EntryReader). Throws Error if it is larger than the disk's free space
    /// without `freeBytesToLeave`.
    StoredFile(BundleEntry &entry, Diagnostics &diagnostics, const JobControl &control,
               std::uint64_t freeBytesToLeave = FreeBytesToLeave);
    ~StoredFile();
    StoredFile(const StoredFile &) = delete;
    StoredFile &operator=(const StoredFile &) = delete;

    const std::filesystem::path &path() const { return m_path; }
    bool isTemporary() const { return m_lockedFile >= 0; }

private:
    void createTemporary(const std::string &entryName);
    void unpack(BundleEntry &entry, Diagnostics &diagnostics, const JobControl &control,
                std::uint64_t freeBytesToLeave);
    void remove();

    std::filesystem::path m_path;
    int m_lockedFile = -1; ///< of a temporary file: says that it is in use
};

} // namespace core
