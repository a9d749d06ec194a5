#include "core/scenario/graph_edits.h"

#include "core/scenario/bounded_time.h"

#include <algorithm>

namespace core {

namespace {

    bool isTransfer(const Graph &graph, std::size_t op)
    {
        return graph.kind[op] == OpKind::Communication;
    }

} // namespace

bool hasOnlyHostOrder(const Graph &graph, OpId op)
{
    const auto preds = graph.predecessors(op);
    return std::all_of(preds.begin(), preds.end(),
                       [](const Edge &edge) { return edge.kind == EdgeKind::HostOrder; });
}

Graph withScaledTransfers(Graph graph, double factor)
{
    if (factor == 0)
        graph.slowdown = 1; // what takes no time takes no cores
    for (std::size_t op = 0; op < graph.size(); ++op)
        if (isTransfer(graph, op)) {
            graph.durationNs[op] = scaledBy(graph.durationNs[op], factor);
            // Of a predicted one the delay is its latency.
            if (graph.bytesOf(OpId(static_cast<std::uint32_t>(op))) > 0)
                graph.delayNs[op] = scaledBy(graph.delayNs[op], factor);
        }
    return graph;
}

Graph withHostOverhead(Graph graph, double factor)
{
    const std::vector<bool> isAccelerated = acceleratedWorkers(graph);
    for (std::size_t op = 0; op < graph.size(); ++op) {
        const Device &device = graph.devices[graph.device[op].value];
        const bool isInput = graph.phase[op] == Phase::Input; // see withScaledPhase()
        if (device.isLink || device.isStream || isInput || isTransfer(graph, op))
            continue;
        if (isAccelerated[graph.worker[op].value]) {
            graph.durationNs[op] = scaledBy(graph.durationNs[op], factor);
            graph.delayNs[op] = scaledBy(graph.delayNs[op], factor);
        } else if (hasOnlyHostOrder(graph, OpId(static_cast<std::uint32_t>(op)))) {
            graph.delayNs[op] = scaledBy(graph.delayNs[op], factor);
        }
    }
    return graph;
}

Graph withScaledPhase(Graph graph, Phase phase, double factor)
{
    for (std::size_t op = 0; op < graph.size(); ++op) {
        if (graph.phase[op] != phase)
            continue;
        graph.durationNs[op] = scaledBy(graph.durationNs[op], factor);
        if (hasOnlyHostOrder(graph, OpId(static_cast<std::uint32_t>(op))))
            graph.delayNs[op] = scaledBy(graph.delayNs[op], factor);
    }
    return graph;
}

} // namespace core
