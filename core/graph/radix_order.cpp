#include "core/graph/radix_order.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <numeric>

namespace core {

namespace {

    constexpr int DigitBits = 11; ///< whose counts stay in the processor's nearest cache

    /// By one digit of the keys, of which `lowest` is the smallest.
    void sortByDigit(const std::vector<std::int64_t> &keys, std::int64_t lowest, int shift,
                     const std::vector<std::uint32_t> &before, std::vector<std::uint32_t> &after)
    {
        constexpr std::size_t Digits = std::size_t { 1 } << DigitBits;
        const auto digitOf = [&](std::uint32_t index) {
            const std::uint64_t key
                = static_cast<std::uint64_t>(keys[index]) - static_cast<std::uint64_t>(lowest);
            return static_cast<std::size_t>(key >> shift) & (Digits - 1);
        };
        std::array<std::uint32_t, Digits> next {};
        for (const std::uint32_t index : before)
            ++next[digitOf(index)];
        std::exclusive_scan(next.begin(), next.end(), next.begin(), std::uint32_t { 0 });
        for (const std::uint32_t index : before)
            after[next[digitOf(index)]++] = index;
    }

} // namespace

std::vector<std::uint32_t> radixOrder(const std::vector<std::int64_t> &keys)
{
    std::vector<std::uint32_t> order(keys.size()), other(keys.size());
    std::iota(order.begin(), order.end(), std::uint32_t { 0 });
    if (std::is_sorted(keys.begin(), keys.end()))
        return order;
    const auto [lowest, highest] = std::minmax_element(keys.begin(), keys.end());
    const int bits = static_cast<int>(
        std::bit_width(static_cast<std::uint64_t>(*highest) - static_cast<std::uint64_t>(*lowest)));
    for (int shift = 0; shift < bits; shift += DigitBits) {
        sortByDigit(keys, *lowest, shift, order, other);
        order.swap(other);
    }
    return order;
}

} // namespace core
