#include "core/replay/complete_result.h"

#include <algorithm>

namespace core {

void completeResult(const Graph &graph, std::chrono::steady_clock::time_point begin,
                    ReplayResult &result)
{
    result.makespanNs = 0;
    for (const std::int64_t endNs : result.endNs)
        result.makespanNs = std::max(result.makespanNs, endNs);
    result.iterationEndNs.clear();
    for (const OpId end : graph.iterationEnds)
        result.iterationEndNs.push_back(result.endNs[end.value]);
    result.wallNs = std::chrono::duration_cast<std::chrono::nanoseconds>(
                        std::chrono::steady_clock::now() - begin)
                        .count();
}

} // namespace core
