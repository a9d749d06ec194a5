#include "core/change/graph_edits.h"

#include "core/graph/ops_per_look.h"
#include "core/measure/bounded_time.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace core {

namespace {

    bool isTransfer(const Graph &graph, std::size_t op)
    {
        return graph.kind[op] == OpKind::Communication;
    }

    /// Calls function(from, to) for those of one kind, in the order of `to`.
    template <class Function>
    void forEachEdge(const Graph &graph, EdgeKind kind, const JobControl &control,
                     Function function)
    {
        for (std::uint32_t i = 0; i < graph.size(); ++i) {
            if (i % OpsPerLook == 0)
                throwIfCancelled(control);
            for (const Edge &edge : graph.predecessors(OpId(i)))
                if (edge.kind == kind)
                    function(edge.op, OpId(i));
        }
    }

    /// From a launch to the begin of its kernel pass 5 to 20 us; what waits longer waits for
    /// something else that is not recorded.
    constexpr std::int64_t LongestLaunchNs = 50'000;

    std::int64_t measuredEndNs(const Graph &graph, OpId op)
    {
        return graph.measuredStartNs[op.value] + graph.durationNs[op.value];
    }

    /// Whether each op began when it did because of its launch, as the op before it on its stream
    /// had ended by then. Its delay is what passes from the launch to its begin, which runs beside
    /// earlier work of the stream once the launch comes early.
    std::vector<char> opsThatWaitForLaunch(const Graph &graph)
    {
        std::vector<char> waits(graph.size(), 0);
        for (std::uint32_t op = 0; op < graph.size(); ++op) {
            std::optional<std::int64_t> launchedNs, othersNs;
            for (const Edge &edge : graph.predecessors(OpId(op))) {
                std::optional<std::int64_t> &latest
                    = edge.kind == EdgeKind::Launch ? launchedNs : othersNs;
                latest = std::max(latest.value_or(measuredEndNs(graph, edge.op)),
                                  measuredEndNs(graph, edge.op));
            }
            waits[op] = launchedNs && *launchedNs >= othersNs.value_or(*launchedNs)
                    && graph.delayNs[op] <= LongestLaunchNs
                ? 1
                : 0;
        }
        return waits;
    }

} // namespace

bool hasOnlyHostOrder(const Graph &graph, OpId op)
{
    const auto preds = graph.predecessors(op);
    return std::all_of(preds.begin(), preds.end(),
                       [](const Edge &edge) { return edge.kind == EdgeKind::HostOrder; });
}

std::vector<OpId> nextOnThread(const Graph &graph, const JobControl &control)
{
    std::vector<OpId> next(graph.size(), NoOp);
    forEachEdge(graph, EdgeKind::HostOrder, control,
                [&](OpId from, OpId to) { next[from.value] = to; });
    return next;
}

std::vector<OpId> launchesOf(const Graph &graph, const JobControl &control)
{
    std::vector<OpId> launchOf(graph.size(), NoOp);
    forEachEdge(graph, EdgeKind::Launch, control,
                [&](OpId from, OpId to) { launchOf[to.value] = from; });
    return launchOf;
}

std::vector<std::size_t> removeCollectives(const std::set<std::size_t> &dropped,
                                           GraphBuilder &builder)
{
    std::vector<CollectiveNode> &nodes = builder.collectives();
    std::vector<std::size_t> newIndex(nodes.size(), 0);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        CollectiveNode &node = nodes[i];
        if (!dropped.contains(i)) {
            newIndex[i] = kept;
            if (kept++ < i)
                nodes[kept - 1] = std::move(node);
            continue;
        }
        builder.removeOp(node.arrival);
        builder.removeOp(node.transfer);
        for (const CollectiveNode::Part &part : node.parts)
            builder.removeOp(part.ready);
    }
    nodes.resize(kept);
    return newIndex;
}

Graph withScaledTransfers(Graph graph, double factor)
{
    if (factor == 0)
        graph.slowdown = 1; // what takes no time takes no cores
    for (std::size_t op = 0; op < graph.size(); ++op)
        if (isTransfer(graph, op)) {
            graph.durationNs[op] = scaledBy(graph.durationNs[op], factor);
            // Of a predicted one the delay is its latency.
            if (graph.isPredicted(OpId(static_cast<std::uint32_t>(op))))
                graph.delayNs[op] = scaledBy(graph.delayNs[op], factor);
        }
    return graph;
}

Graph withHostOverhead(Graph graph, double factor, const Graph &measured)
{
    const std::vector<bool> isAccelerated = acceleratedWorkers(graph);
    const std::vector<char> waitsForLaunch
        = factor < 1 ? opsThatWaitForLaunch(measured) : std::vector<char>(graph.size(), 0);
    for (std::size_t op = 0; op < graph.size(); ++op) {
        const Device &device = graph.devices[graph.device[op].value];
        if (waitsForLaunch[op])
            graph.delayNs[op] = scaledBy(graph.delayNs[op], factor);
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
