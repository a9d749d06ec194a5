#pragma once

#include <optional>
#include <utility>

namespace core {

/// The number of a rank, a device or a partition as a file has it; absent where it is negative or
/// does not fit into int.
template <class Integer>
std::optional<int> checkedIndex(std::optional<Integer> number)
{
    if (!number || std::cmp_less(*number, 0) || !std::in_range<int>(*number))
        return std::nullopt;
    return static_cast<int>(*number);
}

} // namespace core
