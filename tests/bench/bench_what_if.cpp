// What toggling one setting costs in the window: the graph is rewritten from a base that is there,
// replayed, and compared with its interval, its parts and Daydream's model. About 100,000 ops. And
// what leads there: the rewriting and replay that give the timeline, and the building of the graph.
#include "core/base/error.h"
#include "core/base/kept_memory.h"
#include "core/change/change_text.h"
#include "core/change/gradients/cuts_change.h"
#include "core/change/gradients/whole_iterations.h"
#include "core/change/rewriting.h"
#include "core/change/unroll.h"
#include "core/fit/links/measured_graph.h"
#include "core/optimize/skeleton.h"
#include "core/pipeline/pipeline.h"
#include "core/predict/overlap_readings.h"
#include "core/predict/prediction_base.h"
#include "tests/support/generate/generate_kineto.h"
#include "tests/support/generate/gpu_ddp_job.h"
#include "tests/support/predict.h"
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
#include <vector>

using namespace core;
namespace fs = std::filesystem;

namespace {

constexpr int Ranks = 4, HostRanks = 16;

struct BenchJob
{
    LoadedProject project;
    std::optional<Predictor> predictor;
};

bool isSmoke()
{
    return std::getenv("LONGPOLE_BENCH_SMOKE") != nullptr;
}

BenchJob generatedJob()
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
    BenchJob job;
    importBundle({ folder }, folder / "p.longpole", {}, {});
    job.project = loadProject(folder / "p.longpole", {});
    job.predictor.emplace(*job.project.trace, job.project.graph, JobControl {});
    job.predictor->findOverlapReadings({});
    fs::remove_all(folder);
    return job;
}

const BenchJob &sharedJob()
{
    static const BenchJob job = generatedJob();
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
const BenchJob &hostJob()
{
    static const BenchJob job = [] {
        std::string text;
        for (int rank = 0; rank < HostRanks; ++rank)
            text += hostRank(rank);
        BenchJob made;
        auto trace = std::make_shared<const Trace>(tests::traceFromText(text));
        made.project.graph = std::make_shared<const Graph>(measuredGraph(*trace, {}));
        made.project.trace = std::move(trace);
        made.predictor.emplace(*made.project.trace, made.project.graph, JobControl {});
        made.predictor->findModels(effect::Ranks, {});
        made.predictor->findOverlapReadings({});
        return made;
    }();
    return job;
}

using JobMaker = const BenchJob &(*)();
using Words = std::vector<std::string>;

/// What a small trace does not allow is skipped, with its reason.
template <class Work>
void repeat(benchmark::State &state, const Work &work)
{
    try {
        for (auto _ : state)
            work();
    } catch (const Error &error) {
        state.SkipWithError(error.what());
    }
}

/// Until everything that is compared is there, too: the interval takes several replays.
void whatIf(benchmark::State &state, JobMaker jobOf, const Words &words)
{
    const BenchJob &job = jobOf();
    const Strategy strategy = parseStrategy(words);
    Predictor predictor = *job.predictor;
    repeat(state,
           [&] { benchmark::DoNotOptimize(tests::predict(predictor, strategy).predictedNs); });
    state.counters["ops"] = static_cast<double>(job.project.graph->size());
}

/// A recording of DDP, many times in a row.
BenchJob repeatedJob(const fs::path &bundle)
{
    const fs::path project = fs::path(LONGPOLE_BINARY_DIR)
        / ("bench_what_if_" + std::to_string(::getpid()) + ".longpole");
    importBundle({ bundle }, project, {}, {});
    BenchJob made;
    made.project = loadProject(project, {});
    fs::remove_all(project);
    PredictionBase base = predictionBase(*made.project.trace, *made.project.graph, {});
    const std::size_t times
        = isSmoke() ? 2 : std::max<std::size_t>(1, 100'000 / base.graph->size());
    base.graph
        = std::make_shared<const Graph>(unrolled(*base.graph, static_cast<std::int32_t>(times)));
    base.replayed = std::make_shared<const ReplayBase>(base.graph, JobControl {});
    made.predictor.emplace(*made.project.trace, made.project.graph,
                           std::make_shared<const PredictionBase>(std::move(base)));
    return made;
}

/// The bundled sample, on CPUs: 38 tensors, 2 ranks, 252 iterations.
const BenchJob &sampleJob()
{
    static const BenchJob job
        = repeatedJob(LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25");
    return job;
}

/// As many tensors as ResNet-50 has, on accelerators of 4 ranks.
const BenchJob &deviceJob()
{
    static const BenchJob job = [] {
        const fs::path folder
            = fs::path(LONGPOLE_BINARY_DIR) / ("bench_device_" + std::to_string(::getpid()));
        tests::GpuDdpJob generated;
        generated.layerBytes.assign(161, 600'000);
        generated.forwardNs = 150'000;
        generated.backwardNs = 300'000;
        generated.scatter = 0.05;
        tests::writeGpuDdpJob(generated, folder);
        BenchJob made = repeatedJob(folder);
        fs::remove_all(folder);
        return made;
    }();
    return job;
}

/// Until the timeline shows it: without what tells how far to trust it.
void timeline(benchmark::State &state, JobMaker jobOf, const Words &words)
{
    const BenchJob &job = jobOf();
    const Strategy strategy = parseStrategy(words);
    Predictor predictor = *job.predictor;
    predictor.findModels(effectsOf(strategy), {}); // as a session keeps them
    std::size_t ops = 0;
    repeat(state, [&] {
        const Prediction prediction = predictor.predict(strategy, {});
        if (prediction.obstacle)
            throw Error(*prediction.obstacle);
        ops = prediction.graph->size();
    });
    state.counters["ops"] = static_cast<double>(predictor.base().graph->size());
    state.counters["ops replayed"] = static_cast<double>(ops);
}

void buildOfTheGraph(benchmark::State &state, JobMaker jobOf)
{
    const Trace &trace = *jobOf().project.trace;
    std::size_t ops = 0;
    for (auto _ : state)
        ops += measuredGraph(trace, {}).size();
    state.counters["ops/s"]
        = benchmark::Counter(static_cast<double>(ops), benchmark::Counter::kIsRate);
}

/// What the first what-if finds for all that follow: who shares cores, the readings of overlap.
void coreSharing(benchmark::State &state)
{
    const BenchJob &job = hostJob();
    for (auto _ : state)
        benchmark::DoNotOptimize(
            CoreSharing(*job.predictor->base().graph, *job.project.trace, {}).recordedRanks());
}

void overlap(benchmark::State &state)
{
    const BenchJob &job = hostJob();
    for (auto _ : state)
        benchmark::DoNotOptimize(
            overlapReadings(*job.project.graph, job.predictor->base(), {}).size());
}

/// What every rewritten graph is: the same ops with other times.
void copyOfTheGraph(benchmark::State &state)
{
    for (auto _ : state) {
        const Graph copy = *sharedJob().predictor->base().graph;
        benchmark::DoNotOptimize(copy.durationNs.data());
    }
}

void replayOfTheGraph(benchmark::State &state)
{
    for (auto _ : state)
        benchmark::DoNotOptimize(replay(*sharedJob().predictor->base().graph, {}).makespanNs);
}

/// Buckets of one tensor to all, one after the other, as a search tries them.
std::vector<Strategy> bucketLayouts(const Graph &graph)
{
    const GradientStep *const step = usualStep(graph);
    const std::size_t tensors = step == nullptr ? 0 : step->parameterBytes.size();
    std::vector<Strategy> layouts;
    for (std::size_t most = 1; most <= tensors; ++most) {
        std::vector<std::size_t> counts;
        for (std::size_t left = tensors; left > 0; left -= counts.back())
            counts.push_back(std::min(most, left));
        layouts.push_back({ { std::string(CutsKey), bucketCountsText(counts) } });
    }
    return layouts;
}

/// Evaluations of a search: of the whole graph, and of its skeleton.
void evaluation(benchmark::State &state, JobMaker jobOf, bool isOfSkeleton)
{
    const BenchJob &job = jobOf();
    Predictor predictor = *job.predictor;
    Skeleton skeleton(predictor, {}, {}, {});
    const std::vector<Strategy> layouts = bucketLayouts(*predictor.base().graph);
    std::size_t next = 0;
    repeat(state, [&] {
        const Strategy &layout = layouts[next++ % layouts.size()];
        benchmark::DoNotOptimize(isOfSkeleton ? skeleton.iterationNs(layout, {})
                                              : predictor.iterationNs(layout, {}));
    });
    const auto ops = isOfSkeleton ? skeleton.ops() : predictor.base().graph->size();
    state.counters["ops"] = static_cast<double>(ops);
}

struct Toggle
{
    const char *name;
    Words words;
};

/// Every setting of a job on accelerators, and of one on CPUs.
const std::vector<Toggle> DeviceToggles {
    { "bandwidth", { "bandwidth_scale=2" } },
    { "one_link", { "bandwidth_mbit:1=50000" } },
    { "latency", { "latency_us=100" } },
    { "ranks", { "world_size=8" } },
    { "tree", { "collective=tree" } },
    { "compute", { "compute_scale=0.5" } },
    { "one_rank", { "compute_scale:1=2" } },
    { "batch", { "batch_scale=2" } },
    { "ideal_peers", { "ideal_peers=1" } },
    { "host", { "host_overhead_scale=0" } },
    { "comm", { "comm_scale=0" } },
    { "comm_of_group", { "comm_scale:0-3=0.5" } },
    { "expand", { "expand=1" } },
    { "buckets", { "bucket_cap_mb=5" } },
    { "first_bucket", { "first_bucket_mb=5" } },
    { "fifo", { "schedule=fifo" } },
    { "p3", { "schedule=p3" } },
    { "partition", { "schedule=p3", "partition_bytes=1000000" } },
    { "credit", { "schedule=p3", "credit_bytes=8000000" } },
};
const std::vector<Toggle> HostToggles {
    { "bandwidth", { "bandwidth_scale=2" } },
    { "latency", { "latency_us=100" } },
    { "compute", { "compute_scale=0.5" } },
    { "batch", { "batch_scale=2" } },
    { "ideal_peers", { "ideal_peers=1" } },
    { "host", { "host_overhead_scale=0" } },
    { "comm", { "comm_scale=0" } },
    { "expand", { "expand=1" } },
    { "more_ranks", { "world_size=4" } },
    { "buckets", { "bucket_cap_mb=5" } },
    { "fusion", { "fusion_threshold_bytes=8000000" } },
    { "cycle", { "cycle_time_ms=10" } },
    { "fusion_compute", { "fusion_threshold_bytes=8000000", "compute_scale=0.5" } },
    { "fifo", { "schedule=fifo" } },
    { "p3", { "schedule=p3" } },
    { "partition", { "schedule=p3", "partition_bytes=1000000" } },
};
const std::vector<Toggle> ManyHostToggles {
    { "bandwidth", { "bandwidth_scale=2" } },
    { "fewer_ranks", { "world_size=8" } },
    { "more_ranks", { "world_size=32" } },
};

void registerToggles(const std::string &of, JobMaker jobOf, const std::vector<Toggle> &toggles)
{
    for (const Toggle &toggle : toggles) {
        benchmark::RegisterBenchmark(("timeline/" + of + toggle.name).c_str(), &timeline, jobOf,
                                     toggle.words)
            ->Unit(benchmark::kMillisecond);
        // The sample's copies in a row are no recording whose iterations tell how they differ.
        if (jobOf != &sampleJob)
            benchmark::RegisterBenchmark(("whatIf/" + of + toggle.name).c_str(), &whatIf, jobOf,
                                         toggle.words)
                ->Unit(benchmark::kMillisecond);
    }
}

} // namespace

BENCHMARK_CAPTURE(buildOfTheGraph, accelerators, sharedJob)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(buildOfTheGraph, host, hostJob)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(evaluation, full, sharedJob, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(evaluation, skeleton, sharedJob, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(evaluation, device_full, deviceJob, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(evaluation, device_skeleton, deviceJob, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(evaluation, host_full, sampleJob, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(evaluation, host_skeleton, sampleJob, true)->Unit(benchmark::kMillisecond);
BENCHMARK(coreSharing)->Unit(benchmark::kMillisecond);
BENCHMARK(overlap)->Unit(benchmark::kMillisecond);
BENCHMARK(copyOfTheGraph)->Unit(benchmark::kMillisecond);
BENCHMARK(replayOfTheGraph)->Unit(benchmark::kMillisecond);

int main(int argc, char **argv)
{
    keepFreedMemory(); // as the programs do
    registerToggles("", &sharedJob, DeviceToggles);
    registerToggles("host_", &sampleJob, HostToggles);
    registerToggles("16_", &hostJob, ManyHostToggles);
    if (const char *const bundle = std::getenv("LONGPOLE_BENCH_BUNDLE")) {
        static const BenchJob job = repeatedJob(bundle);
        const JobMaker jobOf = []() -> const BenchJob & { return job; };
        benchmark::RegisterBenchmark("evaluation/bundle_full", &evaluation, jobOf, false)
            ->Unit(benchmark::kMillisecond);
        benchmark::RegisterBenchmark("evaluation/bundle_skeleton", &evaluation, jobOf, true)
            ->Unit(benchmark::kMillisecond);
    }
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return 2;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
