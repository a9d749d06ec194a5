#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace core {

/// A stretch of a sequence that repeats: elements [first, first + period * count).
struct Repeat
{
    std::size_t first = 0, period = 0, count = 0;

    std::size_t length() const { return period * count; }
    bool operator==(const Repeat &) const = default;
};

/// The stretch that covers most of the sequence, of those that are at least `FewestRepeats` times
/// the same `ShortestPeriod` or more elements and cover half of it; of equals the shortest period.
/// Periods are looked for among the distances between equal elements: O(n) for each of the most
/// frequent ones. Empty where nothing repeats so.
inline constexpr std::size_t FewestRepeats = 3, ShortestPeriod = 3;
std::optional<Repeat> longestRepeat(std::span<const std::uint32_t> sequence);

} // namespace core
