#pragma once

#include "collectors/format/record_file.h"
#include "collectors/format/thread_key.h"

#include <array>
#include <atomic>
#include <memory>

namespace collectors {

/// One recording thread's records on their way to the file.
struct ThreadRing
{
    explicit ThreadRing(std::size_t bytes)
        : ring(bytes)
    {
    }

    RecordRing ring;
    std::uint32_t threadId = 0; ///< Linux tid
    std::atomic<bool> isTaken { true };
};

/// The rings of all threads. A thread gets its ring at its first record and gives it back when it
/// ends. Never destroyed before the process ends: threads of the training job hold pointers.
class ThreadRings
{
public:
    static constexpr std::size_t MostThreads = 128; ///< at once; further ones record nothing
    static constexpr std::size_t RingBytes = 4 * 1024 * 1024;

    /// False through isUsable() if the process has no key for thread-specific data left.
    ThreadRings() noexcept;
    ThreadRings(const ThreadRings &) = delete;
    ThreadRings &operator=(const ThreadRings &) = delete;

    bool isUsable() const { return m_key.isMade(); }
    /// The calling thread's; nullptr if there are too many threads or there is no memory.
    ThreadRing *own() noexcept;
    /// From the writing thread: everything that is in the rings goes into the file.
    void drain(RecordFile &file);

private:
    ThreadRing *take() noexcept;

    const ThreadKey m_key;
    std::array<std::atomic<ThreadRing *>, MostThreads> m_rings {};
};

} // namespace collectors
