#include "collectors/format/record_ring.h"

#include "collectors/format/crc32c.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace collectors {

namespace {

    constexpr std::size_t SmallestCapacity = 128 * 1024; // two of the largest records
    constexpr std::size_t CheckedHeaderBytes = offsetof(RecordHeader, headerCheck);

    RecordHeader headerOf(const unsigned char *record) noexcept
    {
        RecordHeader header;
        std::memcpy(&header, record, sizeof(header));
        return header;
    }

    void putHeader(unsigned char *record, RecordKind kind, std::uint32_t threadId,
                   std::size_t payloadBytes) noexcept
    {
        RecordHeader header {};
        header.marker = LongpoleMarker;
        header.payloadBytes = static_cast<std::uint16_t>(payloadBytes);
        header.threadId = threadId;
        header.kind = static_cast<std::uint8_t>(kind);
        std::memcpy(record, &header, sizeof(header));
    }

} // namespace

void sealRecord(unsigned char *record) noexcept
{
    RecordHeader header = headerOf(record);
    header.headerCheck = static_cast<std::uint16_t>(crc32c(record, CheckedHeaderBytes) & 0xFFFFU);
    header.payloadCheck = crc32c(record + sizeof(header), header.payloadBytes);
    std::memcpy(record, &header, sizeof(header));
}

RecordRing::RecordRing(std::size_t capacity)
    : m_data(new unsigned char[std::bit_ceil(std::max(capacity, SmallestCapacity))])
    , m_mask(std::bit_ceil(std::max(capacity, SmallestCapacity)) - 1)
{
    std::memset(m_data.get(), 0, m_mask + 1); // pages are touched here, not while recording
}

/// Room for `size` bytes that do not wrap around; a skip record fills what is left at the end.
unsigned char *RecordRing::reserve(std::size_t size, std::uint64_t &head) noexcept
{
    const std::uint64_t toEnd = m_mask + 1 - (head & m_mask);
    const std::uint64_t needed = size <= toEnd ? size : toEnd + size;
    if (head + needed - m_knownTail > m_mask + 1) {
        m_knownTail = m_tail.load(std::memory_order_acquire);
        if (head + needed - m_knownTail > m_mask + 1)
            return nullptr;
    }
    if (size > toEnd) {
        putHeader(at(head), RecordSkip, 0, 0);
        head += toEnd;
    }
    return at(head);
}

bool RecordRing::push(RecordKind kind, std::uint32_t threadId, std::span<const std::byte> payload,
                      std::span<const std::byte> more) noexcept
{
    const std::size_t payloadBytes = payload.size() + more.size();
    const std::size_t size = recordSize(payloadBytes);
    std::uint64_t head = m_head.load(std::memory_order_relaxed);
    unsigned char *record = payloadBytes <= LongpoleMaximumPayload ? reserve(size, head) : nullptr;
    if (record == nullptr) {
        m_dropped.fetch_add(1, std::memory_order_relaxed);
        return false;
    }
    putHeader(record, kind, threadId, payloadBytes);
    unsigned char *to = record + sizeof(RecordHeader);
    std::memcpy(to, payload.data(), payload.size());
    if (!more.empty())
        std::memcpy(to + payload.size(), more.data(), more.size());
    std::memset(to + payloadBytes, 0, size - sizeof(RecordHeader) - payloadBytes);
    m_head.store(head + size, std::memory_order_release);
    return true;
}

bool RecordRing::hasFilledUp() noexcept
{
    const std::uint64_t head = m_head.load(std::memory_order_relaxed);
    const std::uint64_t half = (m_mask + 1) / 2;
    if (head - m_knownTail >= half) // at most as full as that
        m_knownTail = m_tail.load(std::memory_order_acquire);
    const bool wasHalfFull = m_isHalfFull;
    m_isHalfFull = head - m_knownTail >= half;
    return m_isHalfFull && !wasHalfFull;
}

std::span<const std::byte> RecordRing::acquire() noexcept
{
    const std::uint64_t head = m_head.load(std::memory_order_acquire);
    std::uint64_t begin = m_tail.load(std::memory_order_relaxed);
    if (begin < head && headerOf(at(begin)).kind == RecordSkip)
        begin += m_mask + 1 - (begin & m_mask);
    std::uint64_t end = begin;
    while (end < head) {
        const RecordHeader header = headerOf(at(end));
        if (header.kind == RecordSkip)
            break;
        sealRecord(at(end));
        end += recordSize(header.payloadBytes);
        if ((end & m_mask) == 0)
            break; // what follows starts at the beginning of the buffer
    }
    m_acquired = end;
    return { reinterpret_cast<const std::byte *>(at(begin)),
             static_cast<std::size_t>(end - begin) };
}

void RecordRing::release() noexcept
{
    m_tail.store(m_acquired, std::memory_order_release);
}

} // namespace collectors
