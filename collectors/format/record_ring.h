#pragma once

#include "collectors/format/records.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace collectors {

/// Bytes that a record with such a payload takes, header and padding included.
constexpr std::size_t recordSize(std::size_t payloadBytes)
{
    return (sizeof(RecordHeader) + payloadBytes + LongpoleRecordAlignment - 1)
        / LongpoleRecordAlignment * LongpoleRecordAlignment;
}

/// Fills in the two checks of a record that lies at `record` with its payload after its header.
void sealRecord(unsigned char *record) noexcept;

/// A buffer of fixed size between one thread that records and one that writes the file: no lock,
/// no allocation and no system call after construction. A record that finds no room is dropped and
/// counted.
class RecordRing
{
public:
    /// `capacity` is rounded up to a power of two of at least 128 KiB.
    /// Throws std::bad_alloc.
    explicit RecordRing(std::size_t capacity);

    /// From the recording thread. `payload` may be in two parts, the second of variable size.
    /// False if it was dropped.
    bool push(RecordKind kind, std::uint32_t threadId, std::span<const std::byte> payload,
              std::span<const std::byte> more = {}) noexcept;
    template <class Record>
    bool push(RecordKind kind, std::uint32_t threadId, const Record &record) noexcept
    {
        return push(kind, threadId, std::as_bytes(std::span(&record, 1)));
    }

    /// From the recording thread: true once each time that the ring has become half full, so that
    /// the writing thread can be woken up before records are dropped.
    bool hasFilledUp() noexcept;

    /// From the writing thread: whole sealed records that follow each other in memory; empty if
    /// there are none. Valid until release().
    std::span<const std::byte> acquire() noexcept;
    /// From the writing thread: what acquire() gave is written.
    void release() noexcept;
    std::size_t capacity() const noexcept { return static_cast<std::size_t>(m_mask) + 1; }
    /// How many were dropped since the last call.
    std::uint64_t takeDropped() noexcept
    {
        return m_dropped.exchange(0, std::memory_order_relaxed);
    }

private:
    unsigned char *at(std::uint64_t position) const { return m_data.get() + (position & m_mask); }
    unsigned char *reserve(std::size_t size, std::uint64_t &head) noexcept;

    std::unique_ptr<unsigned char[]> m_data;
    std::uint64_t m_mask;
    std::uint64_t m_acquired = 0; ///< end of what acquire() gave
    alignas(64) std::atomic<std::uint64_t> m_head { 0 }; ///< end of what was pushed
    std::uint64_t m_knownTail = 0; ///< of the recording thread
    bool m_isHalfFull = false; ///< as hasFilledUp() last knew
    std::atomic<std::uint64_t> m_dropped { 0 };
    alignas(64) std::atomic<std::uint64_t> m_tail { 0 }; ///< end of what was released
};

} // namespace collectors
