#include "collectors/nccl/thread_rings.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <memory>

namespace collectors {

namespace {

    thread_local ThreadRing *ownRing = nullptr;

    void giveBackRing(void *ring)
    {
        ownRing = nullptr; // a later destructor of the thread may record again and takes another
        static_cast<ThreadRing *>(ring)->isTaken.store(false, std::memory_order_release);
    }

} // namespace

ThreadRings::ThreadRings() noexcept
    : m_key(&giveBackRing)
{
}

ThreadRing *ThreadRings::own() noexcept
{
    if (ownRing != nullptr)
        return ownRing;
    ThreadRing *ring = take();
    if (ring == nullptr)
        return nullptr;
    if (!m_key.set(ring)) {
        ring->isTaken.store(false, std::memory_order_release);
        return nullptr;
    }
    ring->threadId = static_cast<std::uint32_t>(syscall(SYS_gettid));
    ownRing = ring;
    return ring;
}

/// One that an ended thread gave back, or a new one.
ThreadRing *ThreadRings::take() noexcept
{
    for (std::atomic<ThreadRing *> &place : m_rings) {
        ThreadRing *ring = place.load(std::memory_order_acquire);
        bool isTaken = false;
        // Looked at first: taking in vain would slow the thread down that has it.
        if (ring != nullptr && !ring->isTaken.load(std::memory_order_relaxed)
            && ring->isTaken.compare_exchange_strong(isTaken, true, std::memory_order_acquire))
            return ring;
    }
    for (std::atomic<ThreadRing *> &place : m_rings) {
        if (place.load(std::memory_order_relaxed) != nullptr)
            continue;
        std::unique_ptr<ThreadRing> made;
        try {
            made = std::make_unique<ThreadRing>(RingBytes);
        } catch (...) {
            return nullptr;
        }
        for (std::atomic<ThreadRing *> &free : m_rings) {
            ThreadRing *expected = nullptr;
            if (free.compare_exchange_strong(expected, made.get(), std::memory_order_acq_rel))
                return made.release();
        }
    }
    return nullptr;
}

void ThreadRings::drain(RecordFile &file)
{
    for (const std::atomic<ThreadRing *> &place : m_rings)
        if (ThreadRing *ring = place.load(std::memory_order_acquire))
            file.drain(ring->ring);
}

} // namespace collectors
