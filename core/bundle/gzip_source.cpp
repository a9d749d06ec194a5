#include "core/bundle/gzip_source.h"

#include "core/base/error.h"

namespace core {

namespace {

    constexpr std::size_t InputSize = std::size_t { 256 } * 1024;

} // namespace

GzipSource::GzipSource(std::unique_ptr<ByteSource> stored, std::string name)
    : m_stored(std::move(stored))
    , m_name(std::move(name))
    , m_input(InputSize)
{
}

std::size_t GzipSource::read(std::span<char> buffer)
{
    std::size_t given = 0;
    while (given < buffer.size() && !m_isAtEnd && m_failure.empty())
        inflateInto(buffer.subspan(given), given);
    m_given += given;
    if (m_failure.empty() && isInflationBomb(m_given, m_consumed))
        m_failure = InflationBombText;
    if (given == 0 && !buffer.empty() && !m_failure.empty())
        throw Error(m_failure, { m_name, m_given });
    return given;
}

void GzipSource::inflateInto(std::span<char> buffer, std::size_t &given)
{
    if (!m_isInMember && !startNextMember())
        return;
    std::size_t count = 0;
    const Inflater::Status status = m_inflater.inflateInto(buffer, count);
    given += count;
    if (status == Inflater::Status::Ended)
        m_isInMember = false;
    else if (status == Inflater::Status::Damaged)
        m_failure = std::string("the gzip data have ") + m_inflater.what() + " (near stored byte "
            + std::to_string(takenBytes())
            + "): they are damaged. What was inflated before is kept; copy the file again from "
              "where it was recorded, and import it into a new project.";
    else if (count < buffer.size() && m_inflater.input().empty() && !fillInput())
        m_failure = "the gzip data ends too early (after " + std::to_string(m_consumed)
            + " stored bytes): the file was cut while it was written or copied. What could be "
              "inflated is kept; copy the file again or record again, and import it into a new "
              "project, to have the rest.";
}

bool GzipSource::startNextMember()
{
    // Padding with zero bytes after a member is common (tape blocks, preallocated files).
    do {
        while (!m_inflater.input().empty() && m_inflater.input().front() == 0)
            m_inflater.skipInput(1);
    } while (m_inflater.input().empty() && fillInput());
    if (m_inflater.input().empty()) {
        m_isAtEnd = true;
        return false;
    }
    if (m_inflater.input().front() != '\x1f') {
        m_failure = "after the gzip data follow other bytes (from stored byte "
            + std::to_string(takenBytes())
            + "), which were not read. If they matter, store them as a file of their own.";
        return false;
    }
    m_inflater.restart();
    m_isInMember = true;
    return true;
}

bool GzipSource::fillInput()
{
    const std::size_t count = m_stored->read(m_input);
    m_consumed += count;
    m_inflater.setInput(std::span(m_input).first(count));
    return count > 0;
}

bool isGzip(std::span<const char> head)
{
    return head.size() >= 2 && head[0] == '\x1f' && head[1] == '\x8b';
}

} // namespace core
