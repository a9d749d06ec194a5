// Graph building and replay: a generated training trace of one million events, and a graph of one
// million ops beside a bare loop over the same arrays, which is what no replay can beat.
#include "core/graph/build_graph.h"
#include "core/graph/graph_builder.h"
#include "core/replay/replay.h"
#include "core/replay/replay_base.h"
#include "core/replay/replay_order.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

using namespace core;

namespace {

std::size_t opCount()
{
    return std::getenv("LONGPOLE_BENCH_SMOKE") ? 10'000 : 1'000'000;
}

/// Ranks with a host thread and two streams each; every hundredth layer is reduced over a shared
/// link.
Graph trainingGraph(std::size_t ops)
{
    constexpr std::uint32_t Ranks = 8;
    GraphBuilder builder({ "" });
    const auto addDevice = [&](std::uint32_t rank, bool isLink) {
        Device device;
        device.worker = WorkerId(rank);
        device.isLink = isLink;
        device.discipline = isLink ? Discipline::Shared : Discipline::Fifo;
        device.capacity = isLink ? 2 : 1;
        return builder.addDevice(device);
    };
    const DeviceId link = addDevice(0, true);
    std::vector<DeviceId> hosts, streams;
    for (std::uint32_t rank = 0; rank < Ranks; ++rank) {
        hosts.push_back(addDevice(rank, false));
        streams.push_back(addDevice(rank, false));
    }
    std::vector<OpId> lastLaunch(Ranks, NoOp), lastKernel(Ranks, NoOp);
    const auto add = [&](DeviceId device, std::uint32_t rank, std::int64_t ns, OpKind kind,
                         std::int64_t order) {
        OpSpec spec;
        spec.device = device;
        spec.worker = WorkerId(rank);
        spec.durationNs = ns;
        spec.kind = kind;
        spec.measuredStartNs = order;
        return builder.addOp(spec);
    };
    for (std::int64_t layer = 0; builder.size() < ops; ++layer) {
        for (std::uint32_t rank = 0; rank < Ranks; ++rank) {
            const OpId launch = add(hosts[rank], rank, 5'000, OpKind::Host, layer);
            const OpId kernel
                = add(streams[rank], rank, 8'000 + 100 * (layer % 17), OpKind::Compute, layer);
            builder.addEdge(launch, kernel, EdgeKind::Launch);
            if (lastLaunch[rank] != NoOp) {
                builder.addEdge(lastLaunch[rank], launch, EdgeKind::HostOrder);
                builder.addEdge(lastKernel[rank], kernel, EdgeKind::StreamOrder);
            }
            lastLaunch[rank] = launch;
            lastKernel[rank] = kernel;
        }
        if (layer % 100 != 99)
            continue;
        const OpId transfer = add(link, 0, 300'000, OpKind::Communication, layer);
        for (std::uint32_t rank = 0; rank < Ranks; ++rank) {
            builder.addEdge(lastKernel[rank], transfer, EdgeKind::Collective);
            lastKernel[rank] = transfer;
        }
    }
    return builder.build();
}

const Graph &sharedGraph()
{
    static const Graph graph = trainingGraph(opCount());
    return graph;
}

void replayGraph(benchmark::State &state)
{
    const Graph &graph = sharedGraph();
    for (auto _ : state)
        benchmark::DoNotOptimize(replay(graph, {}).makespanNs);
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * graph.size()));
}

/// The graph with a link that serves one transfer at a time, so that the order tells all.
const Graph &orderedGraph()
{
    static const Graph graph = [] {
        Graph result = sharedGraph();
        for (Device &device : result.devices)
            device.discipline = Discipline::Fifo;
        return result;
    }();
    return graph;
}

void replayFreeOrder(benchmark::State &state)
{
    const Graph &graph = orderedGraph();
    for (auto _ : state)
        benchmark::DoNotOptimize(replay(graph, {}).makespanNs);
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * graph.size()));
}

void replayOrderOfResult(benchmark::State &state)
{
    const Graph &graph = orderedGraph();
    const std::vector<OpId> order = replayOrder(replay(graph, {}));
    for (auto _ : state)
        benchmark::DoNotOptimize(replayInOrder(graph, order, {}).makespanNs);
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * graph.size()));
}

void replayRecordedOrder(benchmark::State &state)
{
    const Graph &graph = orderedGraph();
    for (auto _ : state)
        benchmark::DoNotOptimize(replayInOrder(graph, {}).makespanNs);
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * graph.size()));
}

void findOrder(benchmark::State &state)
{
    const Graph &graph = orderedGraph();
    const ReplayResult result = replay(graph, {});
    for (auto _ : state)
        benchmark::DoNotOptimize(replayOrder(result).size());
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * graph.size()));
}

/// A tenth of the ops, of which one changed: that before which so many percent of them began.
void replayChange(benchmark::State &state)
{
    const auto graph = std::make_shared<const Graph>(trainingGraph(opCount() / 10));
    const ReplayBase base(graph, {});
    Graph changed = *graph;
    const std::size_t begun = graph->size() * static_cast<std::size_t>(state.range(0)) / 100;
    changed.durationNs[replayOrder(base.result())[begun].value] += 1000;
    for (auto _ : state)
        benchmark::DoNotOptimize(base.replay(changed, {}).makespanNs);
}

/// Longest path over the same arrays: one pass, no devices.
void bareLoop(benchmark::State &state)
{
    const Graph &graph = sharedGraph();
    std::vector<std::int64_t> endNs(graph.size());
    for (auto _ : state) {
        for (std::uint32_t i = 0; i < graph.size(); ++i) {
            std::int64_t startNs = 0;
            for (const Edge &edge : graph.predecessors(OpId(i)))
                startNs = std::max(startNs, endNs[edge.op.value]);
            endNs[i] = startNs + graph.delayNs[i] + graph.durationNs[i];
        }
        benchmark::DoNotOptimize(endNs.data());
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * graph.size()));
}

void walkCriticalPath(benchmark::State &state)
{
    const Graph &graph = sharedGraph();
    const ReplayResult result = replay(graph, {});
    for (auto _ : state)
        benchmark::DoNotOptimize(criticalPath(graph, result).size());
}

void buildTopology(benchmark::State &state)
{
    const Graph &graph = sharedGraph();
    for (auto _ : state)
        benchmark::DoNotOptimize(GraphBuilder(graph).build().size());
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * graph.size()));
}

} // namespace

BENCHMARK(replayGraph)->Unit(benchmark::kMillisecond);
BENCHMARK(replayFreeOrder)->Unit(benchmark::kMillisecond);
BENCHMARK(replayOrderOfResult)->Unit(benchmark::kMillisecond);
BENCHMARK(replayRecordedOrder)->Unit(benchmark::kMillisecond);
BENCHMARK(findOrder)->Unit(benchmark::kMillisecond);
BENCHMARK(replayChange)->Arg(0)->Arg(50)->Arg(90)->Unit(benchmark::kMillisecond);
BENCHMARK(bareLoop)->Unit(benchmark::kMillisecond);
BENCHMARK(walkCriticalPath)->Unit(benchmark::kMillisecond);
BENCHMARK(buildTopology)->Unit(benchmark::kMillisecond);
BENCHMARK_MAIN();
