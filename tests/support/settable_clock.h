#pragma once

#include <atomic>
#include <cstdint>

namespace tests {

/// What CLOCK_REALTIME is ahead of the host's in this process: somebody sets the clock. A program
/// that links this has a clock_gettime() of its own, and its shared libraries have it, too.
std::atomic<std::int64_t> &realtimeShiftNs();

} // namespace tests
