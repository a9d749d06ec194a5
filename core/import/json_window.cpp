#include "core/import/json_window.h"

#include "core/import/text_head.h"

#include <cstring>
#include <span>

namespace core {

JsonWindow::JsonWindow(BundleEntry &entry, Diagnostics &diagnostics, const JobControl &control)
    : m_reader(entry, diagnostics)
    , m_control(control)
    , m_stage("import " + entry.name())
    , m_buffer(InitialSize + json::ScanPadding)
    , m_cursor(m_buffer.data())
    , m_end(m_buffer.data())
{
}

bool JsonWindow::readMore()
{
    const auto kept = static_cast<std::size_t>(m_end - m_cursor);
    m_isFull = kept >= MaximumValueSize;
    if (m_isAtEnd || m_isFull)
        return false;
    throwIfCancelled(m_control);
    m_control.report(m_reader.entry().progress(), m_stage);
    m_offset += static_cast<std::uint64_t>(m_cursor - m_buffer.data());
    std::memmove(m_buffer.data(), m_cursor, kept);
    if (kept > m_buffer.size() / 2)
        m_buffer.resize((m_buffer.size() - json::ScanPadding) * 2 + json::ScanPadding);
    const std::size_t room = m_buffer.size() - json::ScanPadding - kept;
    const std::size_t count = m_reader.read(std::span(m_buffer).subspan(kept, room));
    m_isAtEnd = count == 0;
    m_cursor = m_buffer.data();
    m_end = m_cursor + kept + count;
    std::memset(m_buffer.data() + kept + count, 0, json::ScanPadding);
    return count > 0;
}

char JsonWindow::peek()
{
    for (;;) {
        m_cursor = json::skipSpace(m_cursor);
        if (m_cursor < m_end)
            return *m_cursor;
        m_cursor = m_end;
        if (!readMore())
            return '\0';
    }
}

void JsonWindow::skipByteOrderMark()
{
    peek();
    while (static_cast<std::size_t>(m_end - m_cursor) < ByteOrderMark.size() && readMore())
        ;
    const std::string_view start(m_cursor, static_cast<std::size_t>(m_end - m_cursor));
    if (start.starts_with(ByteOrderMark))
        m_cursor += ByteOrderMark.size();
}

bool JsonWindow::takeValue(std::string_view &text)
{
    for (;;) {
        std::uint32_t flags = 0;
        const char *after = json::skipValue(m_cursor, m_end, flags);
        if (after == nullptr)
            return false;
        if (after < m_end) {
            text = { m_cursor, static_cast<std::size_t>(after - m_cursor) };
            m_cursor = after;
            return true;
        }
        if (!readMore())
            return false;
    }
}

} // namespace core
