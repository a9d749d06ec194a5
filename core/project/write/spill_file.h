#pragma once

#include "core/sqlite/database.h"

#include <cstdint>
#include <filesystem>

namespace core {

/// Where something lies in a SpillFile.
struct SpillExtent
{
    std::uint64_t offset = 0;
    std::size_t size = 0;
};

/// A temporary file for what does not fit into memory. It has no name while it is used, so nothing
/// is left of it however the program ends. Throws Error where the file system fails.
class SpillFile
{
public:
    /// In this folder, which must exist and be writable.
    explicit SpillFile(const std::filesystem::path &folder);
    ~SpillFile();
    SpillFile(const SpillFile &) = delete;
    SpillFile &operator=(const SpillFile &) = delete;

    SpillExtent append(ByteSpan bytes);
    /// Replaces what is in `bytes`.
    void read(const SpillExtent &extent, ByteBuffer &bytes);

private:
    [[noreturn]] void fail(const char *what) const;

    std::filesystem::path m_folder;
    int m_file; ///< a descriptor
    std::uint64_t m_size = 0;
};

} // namespace core
