#include "core/optimize/bucket_boundaries.h"

#include <utility>

namespace core {

Boundaries boundariesOf(const std::vector<std::size_t> &counts)
{
    Boundaries boundaries;
    std::size_t next = 0;
    for (const std::size_t count : counts)
        boundaries.insert(next += count);
    boundaries.erase(next);
    return boundaries;
}

std::vector<std::size_t> countsBetween(const Boundaries &boundaries, std::size_t tensors)
{
    std::vector<std::size_t> counts;
    counts.reserve(boundaries.size() + 1);
    std::size_t begin = 0;
    for (const std::size_t boundary : boundaries)
        counts.push_back(boundary - std::exchange(begin, boundary));
    counts.push_back(tensors - begin);
    return counts;
}

} // namespace core
