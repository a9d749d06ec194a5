#pragma once

#include "collectors/cupti/text_ids.h"
#include "collectors/format/record_file.h"
#include "collectors/format/record_ring.h"
#include "collectors/format/wake_up.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace collectors {

/// What one thread of the program records itself (ranges, graphs), until it is written. Only that
/// thread calls it, but for the ring's other end.
class ThreadLog
{
public:
    static constexpr std::size_t RingBytes = 512 * 1024;
    static constexpr std::size_t MostTexts = 8192; ///< kept at a time
    static constexpr std::size_t LongestText = 4096;
    static constexpr std::size_t DeepestRange = 512;

    struct OpenRange
    {
        const void *domain = nullptr;
        std::int64_t startNs = 0;
        std::uint32_t name = 0, domainName = 0, color = 0;
        std::int64_t iteration = -1; ///< -1: it is none
        bool isRecorded = false;
    };

    /// `wake` has the rings emptied.
    ThreadLog(TextIds &ids, WakeUp &wake, std::uint32_t threadId)
        : m_ring(RingBytes)
        , m_ids(ids)
        , m_wake(wake)
        , m_threadId(threadId)
    {
    }

    template <class Record>
    bool push(RecordKind kind, const Record &record) noexcept
    {
        return pushFor(m_threadId, kind, record);
    }
    /// About another thread.
    template <class Record>
    bool pushFor(std::uint32_t threadId, RecordKind kind, const Record &record) noexcept
    {
        const bool isPushed = m_ring.push(kind, threadId, record);
        if (m_ring.hasFilledUp())
            m_wake.post();
        return isPushed;
    }
    /// The text's id; 0 for "" and where it could not be recorded. Throws std::bad_alloc.
    std::uint32_t textId(std::string_view text);

    std::uint32_t threadId() const { return m_threadId; }
    std::vector<OpenRange> &openRanges() { return m_openRanges; }
    RecordRing &ring() { return m_ring; }

    /// For another thread, after the one before has ended.
    void startOver(std::uint32_t threadId);

private:
    struct TextHash
    {
        using is_transparent = void; // NOLINT(readability-identifier-naming): the library's name
        std::size_t operator()(std::string_view text) const
        {
            return std::hash<std::string_view>()(text);
        }
    };

    RecordRing m_ring;
    TextIds &m_ids;
    WakeUp &m_wake;
    std::uint32_t m_threadId;
    std::unordered_map<std::string, std::uint32_t, TextHash, std::equal_to<>> m_texts;
    std::vector<OpenRange> m_openRanges;
};

/// The logs of all threads. Lives as long as the process, since threads leave theirs when they end.
class ThreadLogs
{
public:
    static constexpr std::size_t MostThreads = 1024; ///< at a time

    /// `wake` is for the writing thread, which drains. Both must live as long.
    ThreadLogs(TextIds &ids, WakeUp &wake);

    /// False if the process has no key for thread-specific data left: no thread has a log.
    static bool isUsable() noexcept;
    /// The calling thread's; nullptr if there are too many threads or there is no memory, and what
    /// was to be recorded is counted as dropped.
    ThreadLog *mine() noexcept;
    /// From the writing thread.
    void drain(RecordFile &file);

private:
    struct Slot
    {
        std::atomic<ThreadLog *> log { nullptr };
        std::atomic<bool> isTaken { false };
    };
    ThreadLog *acquire() noexcept;

    TextIds &m_ids;
    WakeUp &m_wake;
    const std::uint64_t m_generation; ///< tells a forked child's logs from its parent's
    std::array<Slot, MostThreads> m_slots {};
    std::atomic<std::uint64_t> m_dropped { 0 };
};

} // namespace collectors
