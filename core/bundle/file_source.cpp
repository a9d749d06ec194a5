#include "core/bundle/file_source.h"

#include "core/base/error.h"
#include "core/bundle/shown_name.h"

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace core {

FileSource::FileSource(const std::filesystem::path &path)
    : m_name(shownPath(path))
{
    // Reads are large, a second buffer would only copy.
    m_stream.rdbuf()->pubsetbuf(nullptr, 0);
    m_stream.open(path, std::ios::binary);
    if (!m_stream)
        throw Error("cannot be opened: " + std::generic_category().message(errno)
                        + ". Check that it exists and that you may read it.",
                    { m_name, std::nullopt });
    std::error_code ignored;
    const auto size = std::filesystem::file_size(path, ignored);
    m_size = ignored ? 0 : size;
}

std::size_t FileSource::read(std::span<char> buffer)
{
    m_stream.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    if (m_stream.bad())
        throw Error("cannot be read: the disk or the network share reports an error. Copy the file "
                    "to a local disk and try again.",
                    { m_name, m_position });
    const auto count = static_cast<std::size_t>(m_stream.gcount());
    m_position += count;
    return count;
}

double FileSource::progress() const
{
    return m_size == 0
        ? 1.0
        : std::min(1.0, static_cast<double>(m_position) / static_cast<double>(m_size));
}

void FileSource::seekToTail(std::size_t sizeBytes)
{
    seekTo(m_size > sizeBytes ? m_size - sizeBytes : 0);
}

void FileSource::seekTo(std::uint64_t position)
{
    m_position = std::min(position, m_size);
    m_stream.clear(); // of the end of the file
    m_stream.seekg(static_cast<std::streamoff>(m_position));
}

} // namespace core
