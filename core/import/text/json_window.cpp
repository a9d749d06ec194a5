#include "core/import/text/json_window.h"

#include "core/import/text/text_head.h"

#include <cstring>
#include <span>

namespace core {

JsonWindow::JsonWindow(BundleEntry &entry, Diagnostics &diagnostics, const JobControl &control)
    : m_reader(entry, diagnostics)
    , m_control(control)
    , m_stage("import " + entry.name())
    , m_buffer(std::make_shared_for_overwrite<char[]>(InitialSize + json::ScanPadding))
    , m_size(InitialSize)
    , m_cursor(m_buffer.get())
    , m_end(m_buffer.get())
{
    std::memset(m_buffer.get(), 0, json::ScanPadding);
}

bool JsonWindow::readMore()
{
    const auto kept = static_cast<std::size_t>(m_end - m_cursor);
    m_isFull = kept >= MaximumValueSize;
    if (m_isAtEnd || m_isFull)
        return false;
    throwIfCancelled(m_control);
    m_control.report(m_reader.entry().progress(), m_stage);
    if (m_beforeMove)
        m_beforeMove();
    m_offset = offset();
    makeRoom(kept);
    const std::size_t count = m_reader.read({ m_buffer.get() + kept, m_size - kept });
    m_isAtEnd = count == 0;
    m_cursor = m_buffer.get();
    m_end = m_cursor + kept + count;
    std::memset(m_buffer.get() + kept + count, 0, json::ScanPadding);
    return count > 0;
}

/// Brings [cursor, end), `kept` bytes, to the begin of a buffer that has as much room behind them.
void JsonWindow::makeRoom(std::size_t kept)
{
    std::size_t size = InitialSize;
    while (kept > size / 2)
        size *= 2;
    if (!m_isKept && size <= m_size) {
        std::memmove(m_buffer.get(), m_cursor, kept);
        return;
    }
    auto buffer = std::make_shared_for_overwrite<char[]>(size + json::ScanPadding);
    std::memcpy(buffer.get(), m_cursor, kept);
    m_buffer = std::move(buffer);
    m_size = size;
    m_isKept = false;
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
