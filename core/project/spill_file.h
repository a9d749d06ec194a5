#pragma once

#include "core/sqlite/database.h"

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>

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

    SpillExtent append(ByteSpan bytes);
    /// Replaces what is in `bytes`.
    void read(const SpillExtent &extent, ByteBuffer &bytes);

private:
    struct Close
    {
        void operator()(std::FILE *file) const { std::fclose(file); }
    };
    [[noreturn]] void fail(const char *what) const;
    void seek(std::uint64_t offset);

    std::filesystem::path m_folder;
    std::unique_ptr<std::FILE, Close> m_file;
    std::uint64_t m_size = 0;
};

} // namespace core
