#pragma once

#include <cstdint>
#include <string_view>

namespace core {

/// The metadata in which an execution trace tells of the collectives that it saw: a line "NODE KIND
/// BYTES RANKS GROUP" each, NODE as in SliceColumns::node, 0 for a number that is not known. GROUP
/// is the rest of the line and may be empty.
inline constexpr std::string_view TracedCollectivesKey = "traced_collectives";
/// Of RANKS and BYTES: more is damage, neither written nor used.
inline constexpr std::uint64_t MostTracedRanks = 1'000'000,
                               MostTracedBytes = std::uint64_t { 1 } << 48;

} // namespace core
