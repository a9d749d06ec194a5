#pragma once

#include <cstdint>

namespace core {

/// Loops over a graph's ops look so often whether the job is cancelled.
inline constexpr std::uint32_t OpsPerLook = 0x4000;

} // namespace core
