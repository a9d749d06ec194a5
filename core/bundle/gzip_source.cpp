#include "core/bundle/gzip_source.h"

#include "core/base/error.h"

#include <zlib.h>

#include <algorithm>

namespace core {

namespace {

    constexpr std::size_t InputSize = std::size_t { 256 } * 1024;
    constexpr int GzipOnly = 16 + MAX_WBITS; // windowBits of inflateInit2: gzip, not zlib

} // namespace

struct GzipSource::Inflater
{
    z_stream stream {};
};

GzipSource::GzipSource(std::unique_ptr<ByteSource> stored, std::string name)
    : m_stored(std::move(stored))
    , m_name(std::move(name))
    , m_input(InputSize)
    , m_inflater(std::make_unique<Inflater>())
{
    if (inflateInit2(&m_inflater->stream, GzipOnly) != Z_OK)
        throw Error("not enough memory to inflate this file", { m_name, std::nullopt });
}

GzipSource::~GzipSource()
{
    inflateEnd(&m_inflater->stream);
}

std::size_t GzipSource::read(std::span<char> buffer)
{
    std::size_t given = 0;
    while (given < buffer.size() && !m_isAtEnd && m_failure.empty())
        inflateInto(buffer, given);
    m_given += given;
    if (given == 0 && !buffer.empty() && !m_failure.empty())
        fail(m_failure);
    return given;
}

void GzipSource::inflateInto(std::span<char> buffer, std::size_t &given)
{
    z_stream &z = m_inflater->stream;
    if (!m_isInMember && !startNextMember())
        return;
    if (z.avail_in == 0 && !fillInput()) {
        m_failure = "the gzip data ends too early (after " + std::to_string(m_consumed)
            + " stored bytes): the file was cut while it was written or copied. What could be "
              "inflated is kept; copy the file again or record again to have the rest.";
        return;
    }
    const std::size_t room = std::min<std::size_t>(buffer.size() - given, std::size_t { 1 } << 30U);
    z.next_out = reinterpret_cast<Bytef *>(buffer.data() + given);
    z.avail_out = static_cast<uInt>(room);
    const int status = inflate(&z, Z_SYNC_FLUSH);
    given += room - z.avail_out;
    if (status == Z_STREAM_END)
        m_isInMember = false;
    else if (status != Z_OK && status != Z_BUF_ERROR)
        m_failure = std::string("the gzip data is damaged (") + (z.msg ? z.msg : "no detail")
            + ", near stored byte " + std::to_string(m_consumed - z.avail_in)
            + "). What was inflated before is kept; copy the file again from where it was "
              "recorded.";
}

bool GzipSource::startNextMember()
{
    z_stream &z = m_inflater->stream;
    // Padding with zero bytes after a member is common (tape blocks, preallocated files).
    do {
        while (z.avail_in > 0 && *z.next_in == 0) {
            ++z.next_in;
            --z.avail_in;
        }
    } while (z.avail_in == 0 && fillInput());
    if (z.avail_in == 0) {
        m_isAtEnd = true;
        return false;
    }
    if (*z.next_in != 0x1f) {
        m_failure = "after the gzip data follow other bytes (from stored byte "
            + std::to_string(m_consumed - z.avail_in)
            + "), which were not read. If they matter, store them as a file of their own.";
        return false;
    }
    inflateReset(&z);
    m_isInMember = true;
    return true;
}

bool GzipSource::fillInput()
{
    z_stream &z = m_inflater->stream;
    const std::size_t count = m_stored->read(m_input);
    m_consumed += count;
    z.next_in = reinterpret_cast<Bytef *>(m_input.data());
    z.avail_in = static_cast<uInt>(count);
    return count > 0;
}

void GzipSource::fail(const std::string &what) const
{
    throw Error(what, { m_name, m_given });
}

bool isGzip(std::span<const char> head)
{
    return head.size() >= 2 && head[0] == '\x1f' && head[1] == '\x8b';
}

} // namespace core
