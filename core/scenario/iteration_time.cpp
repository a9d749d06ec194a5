#include "core/scenario/iteration_time.h"

#include <algorithm>

namespace core {

std::vector<std::int64_t> measuredIterations(const Trace &trace, WorkerId worker)
{
    std::vector<std::int64_t> durations;
    for (const Iteration &iteration : trace.iterations)
        if (iteration.worker == worker)
            durations.push_back(iteration.range.durationNs());
    return durations;
}

std::vector<std::int64_t> replayedIterations(const Graph &graph, const ReplayResult &result,
                                             WorkerId worker)
{
    std::vector<std::int64_t> periods;
    std::int64_t previousNs = result.endNs[graph.iterationBegins[worker.value].value];
    const auto count = static_cast<std::size_t>(graph.iterationCount);
    for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t endNs = result.iterationEndNs[worker.value * count + i];
        periods.push_back(endNs - previousNs);
        previousNs = endNs;
    }
    return periods;
}

std::int64_t slowestRankNs(const Graph &graph, const ReplayResult &result)
{
    std::int64_t slowest = 0;
    for (std::uint32_t w = 0; w < graph.workerCount(); ++w)
        slowest = std::max(slowest, medianNs(replayedIterations(graph, result, WorkerId(w))));
    return slowest;
}

std::int64_t medianNs(std::vector<std::int64_t> values)
{
    if (values.empty())
        return 0;
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

} // namespace core
