#pragma once

#include <cstdint>

namespace core {

/// Ranks, and sizes of groups of them, are below this; what is not is damage.
constexpr std::int64_t RankLimit = 10'000'000;

} // namespace core
