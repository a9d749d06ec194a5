// What toggling one setting costs in the window: the graph is rewritten from a base that is there,
// replayed, and compared with its interval, its parts and Daydream's model. About 100,000 ops. And
// what leads there: the rewriting and replay that give the timeline, and the building of the graph.
#include "core/graph/build_graph.h"
#include "core/pipeline/pipeline.h"
#include "core/scenario/rewrite.h"
#include "core/scenario/scenario_base.h"
#include "core/scenario/unroll.h"
#include "tests/support/generate_kineto.h"
#include "tests/support/trace_builder.h"

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>

using namespace core;
namespace fs = std::filesystem;

namespace {

constexpr int Ranks = 4, HostRanks = 16;

struct Job
{
    LoadedProject project;
    ScenarioBase base;
};

bool isSmoke()
{
    return std::getenv("LONGPOLE_BENCH_SMOKE") != nullptr;
}

Job generatedJob()
{
    const fs::path folder
        = fs::path(LONGPOLE_BINARY_DIR) / ("bench_what_if_" + std::to_string(::getpid()));
    fs::create_directories(folder);
    for (int rank = 0; rank < Ranks; ++rank) {
        std::ofstream out(folder / ("rank" + std::to_string(rank) + ".json"), std::ios::binary);
        tests::generateKineto(
            out, { .events = isSmoke() ? 1'000U : 79'000U, .rank = rank, .worldSize = Ranks });
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

/// One of the ranks of a job on CPUs, whose ops do not always take as long.
std::string hostRank(int rank)
{
    constexpr int Iterations = 8, ReductionEach = 100, OpUs = 50;
    const int ops = isSmoke() ? 2 * ReductionEach : 100'000 / Iterations / HostRanks;
    const int periodUs = (ops + ReductionEach) * OpUs;
    std::string iterations, main = "thread main\n", comm = "comm gloo\n";
    for (int i = 0; i < Iterations; ++i) {
        const int startUs = i * periodUs;
        iterations += "iteration " + std::to_string(i) + " " + std::to_string(startUs) + " "
            + std::to_string(periodUs) + "\n";
        for (int op = 0; op < ops; ++op)
            main += "aten::op" + std::to_string(op % ReductionEach) + " "
                + std::to_string(startUs + op * OpUs) + " "
                + std::to_string(OpUs / 2 + (op + i + rank) % (OpUs / 2)) + " phase=backward\n";
        for (int op = ReductionEach; op <= ops; op += ReductionEach)
            comm += "gloo:all_reduce " + std::to_string(startUs + op * OpUs) + " "
                + std::to_string(ReductionEach * OpUs / 2)
                + " kind=all_reduce bytes=" + std::to_string(1'000'000 + op) + "\n";
    }
    return "rank " + std::to_string(rank) + "\n" + iterations + main + comm;
}

/// Of as many ranks as are looked at for whether they share cores.
const Job &hostJob()
{
    static const Job job = [] {
        std::string text;
        for (int rank = 0; rank < HostRanks; ++rank)
            text += hostRank(rank);
        Job made;
        auto trace = std::make_shared<const Trace>(tests::traceFromText(text));
        made.project.graph = std::make_shared<const Graph>(buildGraph(*trace, {}));
        made.project.trace = std::move(trace);
        made.base = scenarioBase(*made.project.trace, *made.project.graph, {});
        const ScenarioSettings ranks = parseSettings({ "world_size=8" });
        made.base.work = workModels(*made.project.trace, made.base, ranks, {});
        setOverlapReadings(made.base, *made.project.graph, {});
        return made;
    }();
    return job;
}

void whatIf(benchmark::State &state, const Job &(*jobOf)(), const char *word)
{
    const Job &job = jobOf();
    const ScenarioSettings settings = parseSettings({ word });
    for (auto _ : state)
        benchmark::DoNotOptimize(
            runScenario(*job.project.trace, job.project.graph, job.base, settings, {}).predictedNs);
    state.counters["ops"] = static_cast<double>(job.project.graph->size());
}

/// The bundled sample's DDP on CPUs, many times in a row.
const Job &sampleJob()
{
    static const Job job = [] {
        const fs::path project = fs::path(LONGPOLE_BINARY_DIR)
            / ("bench_what_if_" + std::to_string(::getpid()) + ".longpole");
        importBundle({ LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25" }, project, {},
                     {});
        Job made;
        made.project = loadProject(project, {});
        fs::remove_all(project);
        made.base = scenarioBase(*made.project.trace, *made.project.graph, {});
        const std::size_t times
            = isSmoke() ? 2 : std::max<std::size_t>(1, 100'000 / made.base.graph->size());
        made.base.graph = std::make_shared<const Graph>(
            unrolled(*made.base.graph, static_cast<std::int32_t>(times)));
        made.base.replayed = std::make_shared<const ReplayBase>(made.base.graph, JobControl {});
        return made;
    }();
    return job;
}

/// Until the timeline shows it: without what is compared afterwards.
void timeline(benchmark::State &state, const Job &(*jobOf)(), const char *word)
{
    const Job &job = jobOf();
    const ScenarioSettings settings = parseSettings({ word });
    for (auto _ : state) {
        const auto graph = rewritten(*job.project.trace, job.base.graph, job.base.links,
                                     job.base.work, settings, {});
        benchmark::DoNotOptimize(job.base.replayed->replay(*graph, {}).makespanNs);
    }
    state.counters["ops"] = static_cast<double>(job.base.graph->size());
}

void buildOfTheGraph(benchmark::State &state, const Job &(*jobOf)())
{
    const Trace &trace = *jobOf().project.trace;
    std::size_t ops = 0;
    for (auto _ : state)
        ops += buildGraph(trace, {}).size();
    state.counters["ops/s"]
        = benchmark::Counter(static_cast<double>(ops), benchmark::Counter::kIsRate);
}

/// What the first what-if finds for all that follow: who shares cores, the readings of overlap.
void coreSharing(benchmark::State &state)
{
    const Job &job = hostJob();
    for (auto _ : state)
        benchmark::DoNotOptimize(
            CoreSharing(*job.base.graph, *job.project.trace, {}).recordedRanks());
}

void overlap(benchmark::State &state)
{
    const Job &job = hostJob();
    for (auto _ : state)
        benchmark::DoNotOptimize(overlapReadings(*job.project.graph, job.base, {}).size());
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

BENCHMARK_CAPTURE(whatIf, bandwidth, sharedJob, "bandwidth_scale=2")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(whatIf, compute, sharedJob, "compute_scale=0.5")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(whatIf, one_rank, sharedJob, "compute_scale:1=2")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(whatIf, host, sharedJob, "host_overhead_scale=0")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(whatIf, ideal_peers, sharedJob, "ideal_peers=1")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(whatIf, batch, sharedJob, "batch_scale=2")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(whatIf, ranks, sharedJob, "world_size=8")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(whatIf, host_bandwidth, hostJob, "bandwidth_scale=2")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(whatIf, host_fewer_ranks, hostJob, "world_size=8")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(whatIf, host_more_ranks, hostJob, "world_size=32")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(timeline, bandwidth, sharedJob, "bandwidth_scale=2")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(timeline, buckets, sharedJob, "bucket_cap_mb=5")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(timeline, fifo, sharedJob, "schedule=fifo")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(timeline, p3, sharedJob, "schedule=p3")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(timeline, host_buckets, sampleJob, "bucket_cap_mb=5")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(timeline, host_fusion, sampleJob, "fusion_threshold_bytes=8000000")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(timeline, host_fifo, sampleJob, "schedule=fifo")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(timeline, host_p3, sampleJob, "schedule=p3")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(buildOfTheGraph, accelerators, sharedJob)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(buildOfTheGraph, host, hostJob)->Unit(benchmark::kMillisecond);
BENCHMARK(coreSharing)->Unit(benchmark::kMillisecond);
BENCHMARK(overlap)->Unit(benchmark::kMillisecond);
BENCHMARK(copyOfTheGraph)->Unit(benchmark::kMillisecond);
BENCHMARK(replayOfTheGraph)->Unit(benchmark::kMillisecond);
