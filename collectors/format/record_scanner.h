#pragma once

#include "collectors/format/records.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace collectors {

/// A record as it stands in a recording. The payload is valid until the scanner is fed again.
struct RecordView
{
    RecordHeader header {};
    std::span<const std::byte> payload;
    std::uint64_t offset = 0; ///< of the header in the file

    /// The payload's fixed part; fields that an older writer did not know are 0.
    template <class Record>
    Record as() const
    {
        Record record {};
        std::memcpy(&record, payload.data(), std::min(sizeof(record), payload.size()));
        return record;
    }
    /// What comes after the fixed part.
    template <class Record>
    std::span<const std::byte> after() const
    {
        return payload.subspan(std::min(sizeof(Record), payload.size()));
    }
};

/// Finds the records of a recording that comes in pieces of any size, whatever has happened to it:
/// bytes that belong to no whole record are skipped and counted, and reading goes on at the next
/// whole record. The time is linear in the size for any input; memory is bounded.
class RecordScanner
{
public:
    /// More of the file. Only after next() was false.
    void feed(std::span<const char> bytes);
    /// No more is to come: what is left is looked at as it is.
    void finish() { m_isAtEnd = true; }
    /// False: feed more, or, after finish(), the end.
    bool next(RecordView &record);

    std::uint64_t skippedBytes() const { return m_skippedBytes; }
    std::uint64_t skippedPlaces() const { return m_skippedPlaces; } ///< runs of such bytes
    std::uint64_t firstSkipped() const { return m_firstSkipped; } ///< offset; 0 if none
    /// The file ends inside a record, after finish() and the last next().
    bool endsInsideRecord() const { return m_endsInsideRecord; }

private:
    enum class Found { Record, NeedMore, Damage };

    Found look(RecordView &record);
    void skip(std::size_t count);
    std::size_t toNextMarker() const;

    std::vector<char> m_buffer;
    std::size_t m_position = 0; ///< in m_buffer
    std::uint64_t m_offset = 0; ///< of m_buffer's first byte in the file
    bool m_isAtEnd = false;
    bool m_hasMagic = false;
    bool m_isSkipping = false;
    bool m_endsInsideRecord = false;
    std::uint64_t m_skippedBytes = 0, m_skippedPlaces = 0, m_firstSkipped = 0;
    std::uint64_t m_wastedBytes = 0; ///< checked in vain
};

/// Whether a file that begins with `head` is a recording.
bool isRecording(std::string_view head);

} // namespace collectors
