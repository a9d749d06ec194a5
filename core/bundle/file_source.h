#pragma once

#include "core/bundle/byte_source.h"

#include <filesystem>
#include <fstream>
#include <string>

namespace core {

/// A file on disk.
class FileSource : public ByteSource
{
public:
    /// Throws Error naming the path if the file cannot be opened.
    explicit FileSource(const std::filesystem::path &path);

    std::size_t read(std::span<char> buffer) override;
    double progress() const override;
    /// Goes on at this byte, or at the end of a shorter file.
    void seekTo(std::uint64_t position);
    /// Skips to this many bytes before the end, or to the start of a shorter file.
    void seekToTail(std::size_t sizeBytes);

private:
    std::string m_name;
    std::ifstream m_stream;
    std::uint64_t m_size = 0;
    std::uint64_t m_position = 0;
};

} // namespace core
