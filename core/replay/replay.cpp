#include "core/replay/replay.h"

#include "core/replay/complete_result.h"
#include "core/replay/event_loop.h"

#include <algorithm>
#include <chrono>

namespace core {

ReplayResult replay(const Graph &graph, const JobControl &control)
{
    const auto begin = std::chrono::steady_clock::now();
    const Successors successors(graph);
    ReplayResult result = EventLoop(graph, successors, control).run();
    completeResult(graph, begin, result);
    return result;
}

std::vector<OpId> criticalPath(const Graph &graph, const ReplayResult &result, OpId last)
{
    std::vector<OpId> path;
    if (graph.size() == 0)
        return path;
    if (last == NoOp) {
        const auto latest = std::max_element(result.endNs.begin(), result.endNs.end());
        last = OpId(static_cast<std::uint32_t>(latest - result.endNs.begin()));
    }
    for (OpId op = last; op != NoOp; op = result.cause[op.value].op)
        path.push_back(op);
    std::reverse(path.begin(), path.end());
    return path;
}

} // namespace core
