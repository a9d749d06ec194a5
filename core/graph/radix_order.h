#pragma once

#include <cstdint>
#include <vector>

namespace core {

/// Indices of `keys` in ascending order of the keys, those of equal keys in their own order: a
/// radix sort, linear in their number.
std::vector<std::uint32_t> radixOrder(const std::vector<std::int64_t> &keys);

} // namespace core
