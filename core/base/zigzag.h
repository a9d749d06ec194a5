#pragma once

#include <cstdint>

namespace core {

/// Small numbers of either sign as small codes: 0, -1, 1, -2 as 0, 1, 2, 3 (protobuf's sint64).
constexpr std::uint64_t zigzag(std::int64_t value)
{
    const auto bits = static_cast<std::uint64_t>(value);
    return (bits << 1U) ^ (0U - (bits >> 63U));
}

constexpr std::int64_t unzigzag(std::uint64_t code)
{
    return static_cast<std::int64_t>((code >> 1U) ^ (0U - (code & 1U)));
}

} // namespace core
