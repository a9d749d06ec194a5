#include "core/import/text/delimited_messages.h"

#include "core/import/text/protobuf_scan.h"

#include <cstring>
#include <span>

namespace core {

namespace {

    constexpr std::size_t BlockSize = 256 * 1024;

} // namespace

DelimitedMessages::DelimitedMessages(BundleEntry &entry, Diagnostics &diagnostics,
                                     const JobControl &control)
    : m_reader(entry, diagnostics)
    , m_diagnostics(diagnostics)
    , m_control(control)
    , m_stage("import " + entry.name())
    , m_buffer(2 * BlockSize)
{
}

bool DelimitedMessages::next()
{
    if (!fill(1))
        return false;
    const std::optional<std::uint64_t> length = takeLength();
    if (!length || *length > MaximumSize)
        return end("the length of a record makes no sense");
    if (!fill(static_cast<std::size_t>(*length)))
        return end("the file ends inside a record");
    m_offset = m_taken;
    m_message = { m_buffer.data() + m_begin, static_cast<std::size_t>(*length) };
    m_begin += m_message.size();
    m_taken += *length;
    return true;
}

std::optional<std::uint64_t> DelimitedMessages::takeLength()
{
    fill(LongestVarint); // as far as the file goes
    std::string_view text(m_buffer.data() + m_begin, m_end - m_begin);
    const std::size_t before = text.size();
    const std::optional<std::uint64_t> length = takeVarint(text);
    m_begin += before - text.size();
    m_taken += before - text.size();
    return length;
}

/// Whether `size` bytes from m_begin on are in the buffer, after reading as far as needed.
bool DelimitedMessages::fill(std::size_t size)
{
    while (m_end - m_begin < size) {
        if (!readBlock())
            return false;
    }
    return true;
}

bool DelimitedMessages::readBlock()
{
    throwIfCancelled(m_control);
    m_control.report(m_reader.entry().progress(), m_stage);
    if (m_begin > 0) {
        std::memmove(m_buffer.data(), m_buffer.data() + m_begin, m_end - m_begin);
        m_end -= m_begin;
        m_begin = 0;
    }
    // Grows by what has arrived, not by what a length promises.
    if (m_buffer.size() - m_end < BlockSize)
        m_buffer.resize(m_buffer.size() * 2);
    const std::size_t count = m_reader.read(std::span(m_buffer).subspan(m_end));
    m_end += count;
    return count > 0;
}

bool DelimitedMessages::end(std::string_view why)
{
    m_diagnostics.count("damaged-rest", Severity::Error, { m_reader.entry().name(), m_taken },
                        std::string(why)
                            + ": the rest of the file was not read. Everything before was; record "
                              "or copy again, and import into a new project, to have the rest");
    m_begin = m_end;
    return false;
}

} // namespace core
