// Time that a search for joined operations and tensors takes on dPRO's four models (its Table 5),
// with all speed-ups and without one of them: until it has converged, which is what follows the
// reading of the job and comes before the judgement of what was found. Each runs once. And how many
// bucket layouts such a search looks at in a minute: about 110,000 ops, of 4 ranks and of 8, which
// fold.
#include "core/change/gradients/cuts_change.h"
#include "core/change/gradients/whole_iterations.h"
#include "core/optimize/bucket_boundaries.h"
#include "core/optimize/search.h"
#include "core/pipeline/pipeline.h"
#include "tests/support/generate/published_models.h"

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <vector>

using namespace core;
namespace fs = std::filesystem;

namespace {

constexpr double LongestSeconds = 3600;

struct ModelJob
{
    tests::PublishedModel model;
    int ranks = 0;
    std::string servers; ///< of setting "collective"; empty: rings
};

struct ReadJob
{
    std::string name;
    LoadedProject project;
    std::optional<Predictor> predictor;
};

bool isSmoke()
{
    return std::getenv("LONGPOLE_BENCH_SMOKE") != nullptr;
}

int iterationsOf(int ranks)
{
    return ranks == 16 ? 10 : ranks == 4 ? 6 : 3;
}

/// The one that was asked for last: those of 128 ranks are large.
const ReadJob &readJob(const ModelJob &of)
{
    static ReadJob read;
    const std::string name = of.model.name + std::to_string(of.ranks);
    if (read.name == name)
        return read;
    read = {};
    const fs::path folder
        = fs::path(LONGPOLE_BINARY_DIR) / ("bench_search_" + std::to_string(::getpid()));
    const int iterations = isSmoke() ? 3 : iterationsOf(of.ranks);
    writeGpuDdpJob(tests::publishedJob(of.model, of.ranks, iterations), folder / "traces");
    importBundle({ folder / "traces" }, folder / "p.longpole", {}, {});
    read.name = name;
    read.project = loadProject(folder / "p.longpole", {});
    read.predictor.emplace(*read.project.trace, read.project.graph, JobControl {});
    fs::remove_all(folder);
    return read;
}

void search(benchmark::State &state, const ModelJob &of, const SearchSpeedUps &speedUps)
{
    const ReadJob &job = readJob(of);
    for (auto _ : state) {
        SearchRequest request;
        request.passes = { "dpro", "joint" };
        request.seconds = isSmoke() ? 1 : LongestSeconds;
        request.speedUps = speedUps;
        if (!of.servers.empty())
            request.environment.set({ "collective", of.servers });
        double bucketsNs = 0;
        Search found(*job.predictor, request, {}, [&bucketsNs](const SearchStep &step) {
            const double ns = static_cast<double>(step.predictedNs.value_or(0));
            if (!step.strategy.has("schedule") && ns > 0 && (bucketsNs == 0 || ns < bucketsNs))
                bucketsNs = ns;
        });
        found.find();
        state.counters["buckets_ms"] = bucketsNs / 1e6;
        state.counters["before_ms"] = static_cast<double>(found.baselineNs()) / 1e6;
        state.counters["found_ms"] = static_cast<double>(found.bestNs()) / 1e6;
    }
    state.counters["ops"] = static_cast<double>(job.project.graph->size());
}

std::vector<Strategy> randomLayouts(std::size_t tensors, std::mt19937 &random)
{
    constexpr std::size_t Layouts = 64, MostBuckets = 20;
    std::vector<Strategy> layouts;
    layouts.reserve(Layouts);
    while (layouts.size() < Layouts) {
        Boundaries boundaries;
        for (std::size_t i = random() % MostBuckets; i > 0; --i)
            boundaries.insert(1 + random() % (tensors - 1));
        layouts.push_back(
            { { std::string(CutsKey), bucketCountsText(countsBetween(boundaries, tensors)) } });
    }
    return layouts;
}

void layouts(benchmark::State &state, const ModelJob &of, bool areOfSkeleton)
{
    const ReadJob &job = readJob(of);
    SearchRequest request;
    request.seconds = LongestSeconds;
    request.speedUps.guessesOnSkeleton = areOfSkeleton;
    Search search(*job.predictor, request, {}, {});
    const Graph &graph = *job.predictor->base().graph;
    const std::size_t tensors = usualStep(graph)->parameterBytes.size();
    search.guess({ {} }); // finds what all have in common
    std::mt19937 random(27);
    std::size_t guessed = 0;
    for (auto _ : state) {
        state.PauseTiming();
        const std::vector<Strategy> tried = randomLayouts(tensors, random);
        guessed += tried.size();
        state.ResumeTiming();
        benchmark::DoNotOptimize(search.guess(tried));
    }
    // Processor time: that of one core, whatever else the machine does.
    state.counters["a_minute_of_a_core"]
        = benchmark::Counter(60 * static_cast<double>(guessed), benchmark::Counter::kIsRate);
    state.counters["ops"] = static_cast<double>(graph.size());
}

struct Variant
{
    std::string name;
    SearchSpeedUps speedUps;
};

std::vector<Variant> variants()
{
    std::vector<Variant> all(6);
    all[0].name = "all";
    all[1].name = "no_blocks";
    all[1].speedUps.sizes.hasBlocks = false;
    all[2].name = "no_folded_ranks";
    all[2].speedUps.sizes.foldsRanks = false;
    all[3].name = "all_iterations";
    all[3].speedUps.sizes.isOfFewIterations = false;
    all[4].name = "no_repeated_blocks";
    all[4].speedUps.movesRepeatedBlocks = false;
    all[5].name = "none";
    all[5].speedUps = { false, {}, false };
    return all;
}

void add(const ModelJob &job, const Variant &variant)
{
    const std::string name = "search/" + job.model.name + "/" + std::to_string(job.ranks) + "/"
        + (job.servers.empty() ? "ring" : "servers") + "/" + variant.name;
    benchmark::RegisterBenchmark(name.c_str(),
                                 [job, speedUps = variant.speedUps](benchmark::State &state) {
                                     search(state, job, speedUps);
                                 })
        ->Unit(benchmark::kSecond)
        ->Iterations(1)
        ->UseRealTime()
        ->MeasureProcessCPUTime();
}

} // namespace

int main(int argc, char **argv)
{
    for (const tests::PublishedModel &model : tests::publishedModels())
        for (const int ranks : { 16, 128 })
            for (const std::string &servers : { std::string(), "ps:" + std::to_string(ranks) })
                for (const Variant &variant : variants())
                    if (!isSmoke())
                        add({ model, ranks, servers }, variant);
    if (isSmoke())
        add({ tests::publishedModels()[1], 8, {} }, variants().front());
    for (const int ranks : isSmoke() ? std::vector { 8 } : std::vector { 4, 8 })
        for (const bool areOfSkeleton : { true, false }) {
            const std::string name
                = "layouts/" + std::to_string(ranks) + (areOfSkeleton ? "/skeleton" : "/whole");
            benchmark::RegisterBenchmark(
                name.c_str(),
                [ranks, areOfSkeleton](benchmark::State &state) {
                    layouts(state, { tests::publishedModels().front(), ranks, {} }, areOfSkeleton);
                })
                ->Unit(benchmark::kMillisecond)
                ->MeasureProcessCPUTime();
        }
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
