#include "collectors/cupti/thread_logs.h"

#include "collectors/format/thread_key.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <span>

namespace collectors {

namespace {

    /// What the calling thread uses; of the logs with that generation.
    struct Mine
    {
        std::uint64_t generation = 0;
        ThreadLog *log = nullptr;
    };
    thread_local Mine t_mine; // NOLINT(readability-identifier-naming)

    std::atomic<std::uint64_t> nextGeneration { 1 };

    /// Called when a thread ends, with its slot's flag: another thread may have it.
    void leaveSlot(void *flag)
    {
        t_mine = {};
        static_cast<std::atomic<bool> *>(flag)->store(false, std::memory_order_release);
    }

    /// nullptr: no memory.
    ThreadLog *makeLog(TextIds &ids, WakeUp &wake, std::uint32_t threadId) noexcept
    {
        try {
            return new ThreadLog(ids, wake, threadId); // lives as long as the process
        } catch (...) {
            return nullptr;
        }
    }

    const ThreadKey &slotKey()
    {
        static const ThreadKey key(&leaveSlot);
        return key;
    }

} // namespace

std::uint32_t ThreadLog::textId(std::string_view text)
{
    text = text.substr(0, LongestText);
    if (text.empty())
        return 0;
    const auto found = m_texts.find(text);
    if (found != m_texts.end())
        return found->second;
    const StringRecord record { m_ids.next(), 0 };
    if (record.id == 0
        || !m_ring.push(RecordString, m_threadId, std::as_bytes(std::span(&record, 1)),
                        std::as_bytes(std::span(text))))
        return 0;
    if (m_texts.size() >= MostTexts)
        m_texts.clear();
    m_texts.emplace(text, record.id);
    return record.id;
}

void ThreadLog::startOver(std::uint32_t threadId)
{
    m_threadId = threadId;
    m_openRanges.clear();
}

ThreadLogs::ThreadLogs(TextIds &ids, WakeUp &wake)
    : m_ids(ids)
    , m_wake(wake)
    , m_generation(nextGeneration.fetch_add(1, std::memory_order_relaxed))
{
}

bool ThreadLogs::isUsable() noexcept
{
    return slotKey().isMade();
}

ThreadLog *ThreadLogs::mine() noexcept
{
    if (t_mine.generation == m_generation && t_mine.log != nullptr)
        return t_mine.log;
    ThreadLog *log = acquire();
    if (log == nullptr)
        m_dropped.fetch_add(1, std::memory_order_relaxed);
    t_mine = { m_generation, log };
    return log;
}

ThreadLog *ThreadLogs::acquire() noexcept
{
    if (!isUsable())
        return nullptr;
    const auto threadId = static_cast<std::uint32_t>(syscall(SYS_gettid));
    for (Slot &slot : m_slots) {
        bool expected = false;
        // Looked at first: where all are taken, every call of a further thread comes by here.
        if (slot.isTaken.load(std::memory_order_relaxed)
            || !slot.isTaken.compare_exchange_strong(expected, true, std::memory_order_acquire))
            continue;
        ThreadLog *log = slot.log.load(std::memory_order_relaxed);
        if (log != nullptr)
            log->startOver(threadId);
        else
            log = makeLog(m_ids, m_wake, threadId);
        if (log != nullptr)
            slot.log.store(log, std::memory_order_release); // kept for the next one in any case
        if (log == nullptr || !slotKey().set(&slot.isTaken)) {
            slot.isTaken.store(false, std::memory_order_release);
            return nullptr;
        }
        return log;
    }
    return nullptr;
}

void ThreadLogs::drain(RecordFile &file)
{
    for (Slot &slot : m_slots) {
        if (ThreadLog *log = slot.log.load(std::memory_order_acquire))
            file.drain(log->ring());
    }
    if (const std::uint64_t dropped = m_dropped.exchange(0, std::memory_order_relaxed)) {
        timespec now {};
        clock_gettime(CLOCK_REALTIME, &now);
        const std::int64_t nowNs
            = static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
        file.write(RecordDropped, 0, DroppedRecord { nowNs, dropped });
    }
}

} // namespace collectors
