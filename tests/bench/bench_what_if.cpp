// What toggling one setting costs in the window: the graph is rewritten from a base that is there,
// replayed, and compared with its interval, its parts and Daydream's model. About 100,000 ops.
#include "core/pipeline/pipeline.h"
#include "core/scenario/scenario_base.h"
#include "tests/support/generate_kineto.h"

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

using namespace core;
namespace fs = std::filesystem;

namespace {

constexpr int Ranks = 4;

struct Job
{
    LoadedProject project;
    ScenarioBase base;
};

Job generatedJob()
{
    const bool isSmoke = std::getenv("LONGPOLE_BENCH_SMOKE") != nullptr;
    const fs::path folder
        = fs::path(LONGPOLE_BINARY_DIR) / ("bench_what_if_" + std::to_string(::getpid()));
    fs::create_directories(folder);
    for (int rank = 0; rank < Ranks; ++rank) {
        std::ofstream out(folder / ("rank" + std::to_string(rank) + ".json"), std::ios::binary);
        tests::generateKineto(
            out, { .events = isSmoke ? 1'000U : 79'000U, .rank = rank, .worldSize = Ranks });
    }
    std::ofstream(folder / "meta.json") << R"({ "bandwidth_mbit": 100000 })";
    Job job;
    importBundle({ folder }, folder / "p.longpole", {}, {});
    job.project = loadProject(folder / "p.longpole", {});
    job.base = scenarioBase(*job.project.trace, *job.project.graph, {});
    fs::remove_all(folder);
    return job;
}

const Job &sharedJob()
{
    static const Job job = generatedJob();
    return job;
}

void whatIf(benchmark::State &state, const char *word)
{
    const Job &job = sharedJob();
    const ScenarioSettings settings = parseSettings({ word });
    for (auto _ : state)
        benchmark::DoNotOptimize(
            runScenario(*job.project.trace, job.project.graph, job.base, settings, {}).predictedNs);
    state.counters["ops"] = static_cast<double>(job.project.graph->size());
}

/// What every rewritten graph is: the same ops with other times.
void copyOfTheGraph(benchmark::State &state)
{
    for (auto _ : state) {
        const Graph copy = *sharedJob().base.graph;
        benchmark::DoNotOptimize(copy.durationNs.data());
    }
}

void replayOfTheGraph(benchmark::State &state)
{
    for (auto _ : state)
        benchmark::DoNotOptimize(replay(*sharedJob().base.graph, {}).makespanNs);
}

} // namespace

BENCHMARK_CAPTURE(whatIf, bandwidth, "bandwidth_scale=2")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(whatIf, compute, "compute_scale=0.5")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(whatIf, one_rank, "compute_scale:1=2")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(whatIf, host, "host_overhead_scale=0")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(whatIf, ideal_peers, "ideal_peers=1")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(whatIf, batch, "batch_scale=2")->Unit(benchmark::kMillisecond);
BENCHMARK(copyOfTheGraph)->Unit(benchmark::kMillisecond);
BENCHMARK(replayOfTheGraph)->Unit(benchmark::kMillisecond);
