#include "core/scenario/overlap_readings.h"

#include "core/scenario/interference.h"
#include "core/scenario/scenario_base.h"

#include <limits>
#include <utility>

namespace core {

Graph OverlapReading::of(const Graph &base) const
{
    Graph graph = base;
    graph.slowdown = slowdown;
    graph.durationNs = durationNs;
    return graph;
}

std::vector<OverlapReading> overlapReadings(const Trace &trace, const Graph &measured,
                                            const ScenarioBase &base, const JobControl &control)
{
    std::vector<OverlapReading> readings;
    if (!base.graph->interferingLink)
        return readings;
    for (const double sigmas : { 1.96, -1.96, -std::numeric_limits<double>::infinity() }) {
        Graph other = withInterference(measured, trace, base.links, sigmas);
        const std::int64_t predictedNs
            = slowestRankNs(other, base.replayed->replay(other, control), base.lag);
        readings.push_back({ other.slowdown, std::move(other.durationNs), predictedNs });
    }
    return readings;
}

} // namespace core
