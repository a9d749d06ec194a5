#include "tests/support/settable_clock.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace tests {

std::atomic<std::int64_t> &realtimeShiftNs()
{
    static constinit std::atomic<std::int64_t> shift { 0 };
    return shift;
}

} // namespace tests

/// In place of the C library's.
extern "C" int clock_gettime(clockid_t clock, timespec *time) noexcept
{
    constexpr std::int64_t NsPerSecond = 1'000'000'000;
    const long result = syscall(SYS_clock_gettime, clock, time);
    if (result == 0 && clock == CLOCK_REALTIME) {
        const std::int64_t ns = time->tv_nsec + tests::realtimeShiftNs().load() % NsPerSecond;
        time->tv_sec += tests::realtimeShiftNs().load() / NsPerSecond;
        time->tv_sec += ns < 0 ? -1 : ns / NsPerSecond;
        time->tv_nsec = ns < 0 ? ns + NsPerSecond : ns % NsPerSecond;
    }
    return static_cast<int>(result);
}
