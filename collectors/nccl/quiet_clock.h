#pragma once

#include <time.h>

#include <cstdint>

namespace collectors {

/// For how long nothing came: nanoseconds of a clock that is never set, unlike the one that records
/// have their times of. It goes on every few milliseconds, and costs a quarter of the others.
inline std::int64_t quietClockNs() noexcept
{
    timespec now {};
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

} // namespace collectors
