#include "collectors/format/wake_up.h"

#include <time.h>

#include <cerrno>

namespace collectors {

bool WakeUp::waitFor(std::int64_t durationNs) noexcept
{
    constexpr std::int64_t NsPerSecond = 1'000'000'000;
    timespec until {};
    clock_gettime(CLOCK_MONOTONIC, &until);
    const std::int64_t endNs = until.tv_nsec + durationNs;
    until.tv_sec += endNs / NsPerSecond;
    until.tv_nsec = endNs % NsPerSecond;
    int result = 0;
    do
        result = sem_clockwait(&m_semaphore, CLOCK_MONOTONIC, &until);
    while (result != 0 && errno == EINTR);
    while (result == 0 && sem_trywait(&m_semaphore) == 0) { }
    return result == 0;
}

} // namespace collectors
