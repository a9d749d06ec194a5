#pragma once

#include <cstdint>
#include <string>

namespace core {

/// A duration for people, three digits and a unit: "49 us", "11.1 ms", "662 ms", "2.50 s". The sign
/// is kept.
std::string durationText(std::int64_t ns);

/// 0.166 -> "17 %"; below ten percent with one decimal.
std::string percentText(double fraction);

/// "25 MiB", "2.49 MiB", "512 bytes".
std::string bytesText(std::uint64_t bytes);

} // namespace core
