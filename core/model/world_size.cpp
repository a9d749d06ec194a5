#include "core/model/world_size.h"

#include <algorithm>
#include <map>

namespace core {

std::optional<int> statedWorldSize(std::span<const Worker> workers)
{
    std::map<int, std::size_t> counts;
    for (const Worker &worker : workers)
        if (worker.worldSize)
            ++counts[*worker.worldSize];
    if (counts.empty())
        return std::nullopt;
    return std::max_element(counts.begin(), counts.end(),
                            [](const auto &a, const auto &b) { return a.second < b.second; })
        ->first;
}

std::optional<int> statedWorldSize(const Trace &trace)
{
    return statedWorldSize(trace.workers);
}

bool isOfOtherJob(const Worker &worker, std::optional<int> worldSize)
{
    return worldSize && worker.worldSize && *worker.worldSize != *worldSize;
}

} // namespace core
