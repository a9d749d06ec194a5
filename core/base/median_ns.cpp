#include "core/base/median_ns.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace core {

std::int64_t medianNs(std::vector<std::int64_t> values)
{
    if (values.empty())
        return 0;
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 ? values[middle] : std::midpoint(values[middle - 1], values[middle]);
}

} // namespace core
