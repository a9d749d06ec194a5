#pragma once

#include "core/base/job_control.h"
#include "core/import/entry_reader.h"
#include "core/import/text/json_scan.h"
#include "core/model/trace_sink.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace core {

/// The part of a JSON entry that is in memory: a buffer that moves over the entry and grows only
/// for a value that does not fit. Memory is bounded by MaximumValueSize.
///
/// If the entry cannot be read to its end, the window ends where the readable bytes end
/// (EntryReader).
class JsonWindow
{
public:
    static constexpr std::size_t InitialSize = 512 * 1024;
    static constexpr std::size_t MaximumValueSize = 64 * 1024 * 1024;

    /// The references must outlive the window.
    JsonWindow(BundleEntry &entry, Diagnostics &diagnostics, const JobControl &control);

    const JobControl &control() const { return m_control; }
    const char *cursor() const { return m_cursor; }
    const char *end() const { return m_end; }
    void moveTo(const char *position) { m_cursor = position; }
    /// Bytes of the entry before `position`, which lies in the window.
    std::uint64_t offsetOf(const char *position) const
    {
        return m_offset + static_cast<std::uint64_t>(position - m_buffer.get());
    }
    std::uint64_t offset() const { return offsetOf(m_cursor); }

    /// Pointers into the window stay valid as long as the result is held.
    std::shared_ptr<const char[]> keep()
    {
        m_isKept = true;
        return m_buffer;
    }
    /// Is called before pointers into the window become invalid, except for what is kept.
    void callBeforeMove(std::function<void()> act) { m_beforeMove = std::move(act); }
    /// Whether the buffer has grown for a large value.
    bool isLarge() const { return m_size > InitialSize; }

    /// Reads more, keeping [cursor, end); pointers into the window are invalid after it. False if
    /// there is no more, or if the value at the cursor is larger than MaximumValueSize.
    /// Throws Cancelled.
    bool readMore();
    /// Whether the last readMore() failed for the size of the value, not for the entry's end.
    bool isFull() const { return m_isFull; }
    /// Whether the entry could not be read to its end; that is counted already.
    bool isCut() const { return m_reader.isCut(); }

    /// Moves over white space; the byte there, 0 at the end of the entry.
    char peek();
    /// Moves over a byte order mark, if the entry begins with one.
    void skipByteOrderMark();
    /// Moves over the value at the cursor. `text` is the value (with quotes and brackets) and is
    /// valid until the next readMore(). False if it is no JSON or not complete.
    bool takeValue(std::string_view &text);

private:
    void makeRoom(std::size_t kept);

    EntryReader m_reader;
    const JobControl &m_control;
    std::string m_stage;
    std::shared_ptr<char[]> m_buffer; ///< [m_size + padding]
    std::size_t m_size = 0;
    bool m_isKept = false; ///< others hold the buffer, too
    std::function<void()> m_beforeMove;
    const char *m_cursor = nullptr;
    const char *m_end = nullptr;
    std::uint64_t m_offset = 0; ///< of the buffer's first byte in the entry
    bool m_isAtEnd = false;
    bool m_isFull = false;
};

} // namespace core
