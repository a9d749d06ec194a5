#include "collectors/format/record_scanner.h"

#include "collectors/format/crc32c.h"
#include "collectors/format/record_ring.h"

namespace collectors {

namespace {

    constexpr std::string_view Magic(LONGPOLE_FILE_MAGIC, sizeof(LONGPOLE_FILE_MAGIC) - 1);
    constexpr char FirstMarkerByte = static_cast<char>(LongpoleMarker & 0xFF);
    /// Payloads that are checked in vain may be this many times the file, and this much more; then
    /// records with a wrong payload are skipped whole, so that hostile files take linear time.
    constexpr std::uint64_t WasteFactor = 4;
    constexpr std::uint64_t FreeWaste = 4 * 1024 * 1024;

} // namespace

bool isRecording(std::string_view head)
{
    return head.starts_with(Magic);
}

void RecordScanner::feed(std::span<const char> bytes)
{
    m_buffer.erase(m_buffer.begin(), m_buffer.begin() + static_cast<std::ptrdiff_t>(m_position));
    m_offset += m_position;
    m_position = 0;
    m_buffer.insert(m_buffer.end(), bytes.begin(), bytes.end());
}

bool RecordScanner::next(RecordView &record)
{
    if (!m_hasMagic) {
        if (m_buffer.size() < Magic.size() && !m_isAtEnd)
            return false;
        m_hasMagic = true;
        if (isRecording({ m_buffer.data(), m_buffer.size() }))
            m_position = Magic.size();
    }
    while (m_position < m_buffer.size()) {
        switch (look(record)) {
        case Found::Record:
            m_isSkipping = false;
            m_endsInsideRecord = false;
            return true;
        case Found::NeedMore:
            if (!m_isAtEnd)
                return false;
            m_endsInsideRecord = m_endsInsideRecord || !m_isSkipping;
            skip(1);
            break;
        case Found::Damage:
            break;
        }
    }
    return false;
}

/// At m_position; after damage m_position is at the next place worth a look.
RecordScanner::Found RecordScanner::look(RecordView &record)
{
    const std::size_t available = m_buffer.size() - m_position;
    const char *begin = m_buffer.data() + m_position;
    if (available < sizeof(RecordHeader))
        return Found::NeedMore;
    RecordHeader header;
    std::memcpy(&header, begin, sizeof(header));
    const std::uint32_t check = crc32c(begin, offsetof(RecordHeader, headerCheck)) & 0xFFFFU;
    if (header.marker != LongpoleMarker || header.headerCheck != check) {
        skip(toNextMarker());
        return Found::Damage;
    }
    const std::size_t size = recordSize(header.payloadBytes);
    if (available < size)
        return Found::NeedMore;
    if (crc32c(begin + sizeof(header), header.payloadBytes) != header.payloadCheck) {
        m_wastedBytes += size;
        const bool isAffordable
            = m_wastedBytes <= FreeWaste + WasteFactor * (m_offset + m_position);
        skip(isAffordable ? toNextMarker() : size);
        return Found::Damage;
    }
    record.header = header;
    record.payload = std::as_bytes(std::span(begin + sizeof(header), header.payloadBytes));
    record.offset = m_offset + m_position;
    m_position += size;
    return Found::Record;
}

/// Bytes from m_position to the next byte after it that a header may start with.
std::size_t RecordScanner::toNextMarker() const
{
    const char *from = m_buffer.data() + m_position + 1;
    const char *end = m_buffer.data() + m_buffer.size();
    const void *found = std::memchr(from, FirstMarkerByte, static_cast<std::size_t>(end - from));
    const char *to = found != nullptr ? static_cast<const char *>(found) : end;
    return static_cast<std::size_t>(to - from) + 1;
}

void RecordScanner::skip(std::size_t count)
{
    if (!m_isSkipping) {
        if (m_skippedPlaces++ == 0)
            m_firstSkipped = m_offset + m_position;
        m_isSkipping = true;
    }
    m_skippedBytes += count;
    m_position += count;
}

} // namespace collectors
