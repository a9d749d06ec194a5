#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace core {

/// In which order gradients are sent.
enum class Schedule : std::uint8_t {
    Wfbp, ///< DDP's buckets, in the order in which they become ready
    Fifo, ///< partitions in the order of readiness, no barrier between iterations
    P3, ///< partitions in the order in which the next forward pass needs them (P3, MLSys 2019)
};

/// "wfbp", "fifo", "p3".
std::string_view scheduleName(Schedule schedule);
/// By its name.
std::optional<Schedule> scheduleNamed(std::string_view name);

} // namespace core
