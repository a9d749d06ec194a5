#pragma once

#include <semaphore.h>

#include <cstdint>

namespace collectors {

/// Wakes one thread up. post() may come from any thread and from signal handlers; it never waits.
class WakeUp
{
public:
    WakeUp() noexcept { sem_init(&m_semaphore, 0, 0); }
    WakeUp(const WakeUp &) = delete; // never destroyed while somebody may post
    WakeUp &operator=(const WakeUp &) = delete;

    void post() noexcept { sem_post(&m_semaphore); }
    /// Until post(), also one before; all of them count once. False after that time, whatever
    /// happens to the host's clock meanwhile.
    bool waitFor(std::int64_t durationNs) noexcept;

private:
    sem_t m_semaphore {};
};

} // namespace collectors
