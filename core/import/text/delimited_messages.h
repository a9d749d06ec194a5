#pragma once

#include "core/base/job_control.h"
#include "core/import/entry_reader.h"
#include "core/model/trace_sink.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// Streams protobuf messages that stand one after the other, each behind its length as a varint.
/// Memory is bounded by MaximumSize. What ends the stream early is counted as an Error diagnostic:
/// without a length nothing after it can be found.
class DelimitedMessages
{
public:
    static constexpr std::size_t MaximumSize = 64 * 1024 * 1024; ///< of one message

    /// The references must outlive the reader.
    DelimitedMessages(BundleEntry &entry, Diagnostics &diagnostics, const JobControl &control);

    /// Moves to the next message; false at the end. Throws Cancelled.
    bool next();
    /// Valid until the next call of next().
    std::string_view message() const { return m_message; }
    /// Of the message's first byte in the entry.
    std::uint64_t offset() const { return m_offset; }

private:
    std::optional<std::uint64_t> takeLength();
    bool fill(std::size_t size);
    bool readBlock();
    bool end(std::string_view why);

    EntryReader m_reader;
    Diagnostics &m_diagnostics;
    const JobControl &m_control;
    std::string m_stage;
    std::vector<char> m_buffer;
    std::size_t m_begin = 0; ///< of what is in the buffer and was not taken yet
    std::size_t m_end = 0;
    std::uint64_t m_taken = 0; ///< bytes of the entry before m_begin
    std::uint64_t m_offset = 0;
    std::string_view m_message;
};

} // namespace core
