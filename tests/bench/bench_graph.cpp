// The drawn graph of 64 ranks and one million ops: contraction, first picture, opening a block.
// Prints how much memory outline and drawing take.
#include "core/blocks/contraction.h"
#include "core/blocks/drawing.h"
#include "tests/bench/drawn_graph.h"

#include <benchmark/benchmark.h>
#include <malloc.h>

#include <algorithm>

using namespace core;

namespace {

const bench::DrawnGraph &drawnGraph()
{
    static const bench::DrawnGraph graph = bench::DrawnGraphMaker().make();
    return graph;
}

double heldMb()
{
    return static_cast<double>(mallinfo2().uordblks) / 1e6;
}

void contraction(benchmark::State &state)
{
    const Graph &graph = *drawnGraph().graph;
    std::size_t blocks = 0;
    for (auto _ : state)
        blocks = contract(graph).blockCount();
    state.counters["ops"] = static_cast<double>(graph.size());
    state.counters["blocks"] = static_cast<double>(blocks);
}
BENCHMARK(contraction)->Unit(benchmark::kMillisecond);

void firstPicture(benchmark::State &state)
{
    const bench::DrawnGraph &graph = drawnGraph();
    const double before = heldMb();
    double held = 0;
    for (auto _ : state) {
        const GraphOutline outline = graph.outline();
        const Drawing drawing = drawingOf(outline, {}, {});
        held = heldMb() - before;
        benchmark::DoNotOptimize(drawing.blocks.data());
    }
    state.counters["heldMb"] = held;
}
BENCHMARK(firstPicture)->Unit(benchmark::kMillisecond);

/// `isFolded`: alike ranks are one; else all 64 are drawn.
void openBlock(benchmark::State &state, bool isFolded)
{
    static const GraphOutline outline = drawnGraph().outline();
    DrawingOptions options;
    options.foldsAlikeRanks = isFolded;
    const Drawing closed = drawingOf(outline, options, {});
    const auto largest = std::max_element(
        closed.blocks.begin(), closed.blocks.end(),
        [](const DrawnBlock &a, const DrawnBlock &b) { return a.count < b.count; });
    options.open = { keyOf(*largest) };
    std::size_t blocks = 0;
    for (auto _ : state)
        blocks = drawingOf(outline, options, {}).blocks.size();
    state.counters["blocks"] = static_cast<double>(blocks);
}
BENCHMARK_CAPTURE(openBlock, folded, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(openBlock, unfolded, false)->Unit(benchmark::kMillisecond);

} // namespace

BENCHMARK_MAIN();
