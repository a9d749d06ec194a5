#pragma once

#include <cstddef>
#include <set>
#include <vector>

namespace core {

/// Tensors that begin a bucket, other than the first.
using Boundaries = std::set<std::size_t>;

/// Boundaries of buckets with so many tensors each.
Boundaries boundariesOf(const std::vector<std::size_t> &counts);
/// Numbers of tensors of the buckets; `tensors`: of all, more than each boundary.
std::vector<std::size_t> countsBetween(const Boundaries &boundaries, std::size_t tensors);

} // namespace core
