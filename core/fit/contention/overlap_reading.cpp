#include "core/fit/contention/overlap_reading.h"

namespace core {

Graph OverlapReading::of(const Graph &base) const
{
    Graph graph = base;
    graph.slowdown = slowdown;
    graph.durationNs = durationNs;
    return graph;
}

} // namespace core
