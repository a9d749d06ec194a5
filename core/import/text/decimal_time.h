#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace core {

/// Microseconds as decimal text to nanoseconds, exactly: no double on the way. Fractions finer than
/// a nanosecond are rounded to the nearest (halves away from zero); exponents are understood.
/// Absent for text that is no number (NaN, Infinity, "") and for what int64 nanoseconds cannot
/// hold.
std::optional<std::int64_t> nanosecondsFromMicroseconds(std::string_view text);

/// A whole decimal number; absent if it is none or does not fit.
std::optional<std::int64_t> integerFrom(std::string_view text);
std::optional<std::uint64_t> unsignedFrom(std::string_view text);

} // namespace core
