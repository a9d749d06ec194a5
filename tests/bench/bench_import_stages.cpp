// Where an import's time goes: a generated Kineto file of a million events (LONGPOLE_BENCH_EVENTS),
// in the page cache. The first group adds a stage at a time, from the file to the project; the
// second one takes single parts of saving.
#include "core/bundle/bundle.h"
#include "core/bundle/gzip_writer.h"
#include "core/import/chrome/chrome_trace_reader.h"
#include "core/import/kineto/kineto_importer.h"
#include "core/model/finish_track.h"
#include "core/model/phases.h"
#include "core/pipeline/pipeline.h"
#include "core/project/codec/compression.h"
#include "core/project/codec/slice_codec.h"
#include "core/project/project_limits.h"
#include "core/project/read/args_filter.h"
#include "core/project/read/project_reader.h"
#include "core/project/write/collected_file.h"
#include "core/project/write/project_writer.h"
#include "core/project/write/pyramid.h"
#include "tests/bench/adding_sink.h"
#include "tests/support/generate/generate_kineto.h"

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

namespace {

std::uint64_t eventCount()
{
    if (std::getenv("LONGPOLE_BENCH_SMOKE"))
        return 4000;
    const char *text = std::getenv("LONGPOLE_BENCH_EVENTS");
    return text ? std::strtoull(text, nullptr, 10) : 1'000'000;
}

/// The inputs and the project that is written, for the life of the program.
struct Files
{
    Files()
    {
        std::filesystem::create_directories(folder);
        {
            std::ofstream out(plain, std::ios::binary);
            tests::generateKineto(out, { .events = eventCount(), .worldSize = 1 });
        }
        core::GzipWriter writer(gzip);
        std::ifstream in(plain, std::ios::binary);
        std::vector<char> block(1 << 20);
        while (in.read(block.data(), static_cast<std::streamsize>(block.size())), in.gcount() > 0)
            writer.write({ block.data(), static_cast<std::size_t>(in.gcount()) });
        writer.commit();
    }
    ~Files() { std::filesystem::remove_all(folder); }

    std::filesystem::path folder
        = std::filesystem::temp_directory_path() / ("longpole-bench-" + std::to_string(getpid()));
    std::filesystem::path plain = folder / "rank0.json";
    std::filesystem::path gzip = folder / "rank0.json.gz";
    std::filesystem::path project = folder / "p.longpole";
};

const Files &files()
{
    static const Files files;
    return files;
}

const std::filesystem::path &input(bool isGzip)
{
    return isGzip ? files().gzip : files().plain;
}

void report(benchmark::State &state)
{
    state.counters["events/s"] = benchmark::Counter(
        static_cast<double>(eventCount() * state.iterations()), benchmark::Counter::kIsRate);
}

// --- one stage more at a time

void readStage(benchmark::State &state, bool isGzip)
{
    std::vector<char> block(512 * 1024);
    files(); // are written before the time is taken
    for (auto _ : state) {
        const auto entry = core::openBundle({ input(isGzip) })->open(0);
        while (entry->read(block) > 0) { }
    }
    report(state);
}

/// Finds events and splits them into their members.
void scanStage(benchmark::State &state, bool isGzip)
{
    struct Nothing : core::ChromeTraceConsumer
    {
        void addEvent(const core::ChromeEvent &event, std::string_view, std::uint64_t) override
        {
            benchmark::DoNotOptimize(&event);
        }
        void addOther(std::uint64_t) override { }
    };
    for (auto _ : state) {
        core::Diagnostics diagnostics;
        Nothing nothing;
        const auto entry = core::openBundle({ input(isGzip) })->open(0);
        core::readChromeTrace(*entry, diagnostics, nothing, {});
    }
    report(state);
}

void translateStage(benchmark::State &state, bool isGzip)
{
    for (auto _ : state) {
        bench::AddingSink sink;
        const auto entry = core::openBundle({ input(isGzip) })->open(0);
        core::KinetoImporter().read(*entry, sink, {});
    }
    report(state);
}

void collect(core::CollectedFile &file, bool isGzip)
{
    const auto entry = core::openBundle({ input(isGzip) })->open(0);
    core::KinetoImporter().read(*entry, file, {});
}

void collectStage(benchmark::State &state, bool isGzip)
{
    for (auto _ : state) {
        core::CollectedFile file({ "rank0.json", "kineto", 1 });
        collect(file, isGzip);
    }
    report(state);
}

void writeStage(benchmark::State &state, bool isGzip)
{
    for (auto _ : state) {
        std::filesystem::remove(files().project);
        core::ProjectWriter writer(files().project, false);
        core::CollectedFile file({ "rank0.json", "kineto", 1 });
        collect(file, isGzip);
        writer.add(file, [] { return std::optional<int>(0); }, {});
        writer.finish();
    }
    report(state);
}

/// With clock alignment and iterations: all of `longpole import`.
void importStage(benchmark::State &state, bool isGzip)
{
    for (auto _ : state) {
        std::filesystem::remove(files().project);
        core::importBundle({ input(isGzip) }, files().project, {}, {});
    }
    report(state);
    state.counters["bytes/event"] = static_cast<double>(std::filesystem::file_size(files().project))
        / static_cast<double>(eventCount());
}

// --- parts of saving

const core::Trace &trace()
{
    static const core::Trace trace = [] {
        const std::filesystem::path project = files().folder / "parts.longpole";
        core::importBundle({ input(false) }, project, {}, {});
        return core::ProjectReader(project).readTrace({});
    }();
    return trace;
}

void nestPart(benchmark::State &state)
{
    const core::Trace &loaded = trace(); // imported at the first call
    for (auto _ : state)
        for (const core::SliceColumns &track : loaded.slices) {
            core::DepthAssigner depths;
            for (std::size_t row = 0; row < track.size(); ++row)
                benchmark::DoNotOptimize(depths.place(track.startNs[row], track.endNs(row)));
        }
    report(state);
}

void hostPhases(const core::SliceColumns &track, core::NameMeanings &meanings,
                core::PhaseLinks &links)
{
    core::HostPhases phases(false, true);
    for (std::size_t row = 0; row < track.size(); ++row) {
        const core::Phase phase
            = phases.next(track.depth[row], meanings(track.name[row]), track.category[row]);
        links.add(track.category[row], track.correlation[row], track.externalId[row], phase);
    }
}

void phasesPart(benchmark::State &state)
{
    for (auto _ : state) {
        core::NameMeanings meanings(
            [](core::NameId name) { return std::string_view(trace().names[name.value]); });
        core::PhaseLinks links(std::size_t(1) << 30);
        for (const core::Track &track : trace().tracks)
            if (core::isHost(track.kind))
                hostPhases(trace().slices[track.id.value], meanings, links);
        for (const core::SliceColumns &track : trace().slices)
            for (std::size_t row = 0; row < track.size(); ++row)
                benchmark::DoNotOptimize(links.find(track.category[row], track.correlation[row],
                                                    track.externalId[row],
                                                    meanings(track.name[row])));
    }
    report(state);
}

std::vector<std::int64_t> plannedWidths(const core::Track &track, const core::SliceColumns &slices)
{
    core::DurationCounts durations;
    for (const std::int64_t durationNs : slices.durationNs)
        durations.add(durationNs);
    core::LevelPlanner planner(track.range, durations.medianAtLeastNs());
    for (std::size_t row = 0; row < slices.size(); ++row)
        planner.add(slices.startNs[row], slices.endNs(row), slices.depth[row]);
    return planner.widthsNs();
}

void levelsPart(benchmark::State &state)
{
    const core::LevelBuilder::Take take
        = [](const core::LevelBin &bin) { benchmark::DoNotOptimize(&bin); };
    for (auto _ : state)
        for (const core::Track &track : trace().tracks) {
            const core::SliceColumns &slices = trace().slices[track.id.value];
            for (const std::int64_t widthNs : plannedWidths(track, slices)) {
                core::LevelBuilder level(widthNs);
                for (std::size_t row = 0; row < slices.size(); ++row)
                    level.add({ slices.startNs[row], slices.endNs(row), row, slices.category[row],
                                slices.phase[row], slices.depth[row] },
                              take);
                level.finish(take);
            }
        }
    report(state);
}

/// Chunks as BLOBs; the links are compressed if `isCompressed`.
void chunksPart(benchmark::State &state, bool isCompressed)
{
    core::Compressor compressor;
    for (auto _ : state)
        for (const core::SliceColumns &track : trace().slices) {
            const std::vector<std::uint64_t> noArgs(track.size());
            for (std::size_t from = 0; from < track.size(); from += core::ChunkRows) {
                const std::size_t to = std::min(from + core::ChunkRows, track.size());
                core::ByteBuffer hot;
                core::encodeHot(track, from, to, hot);
                const core::ByteBuffer links = core::encodeLinks(track, noArgs, from, to);
                benchmark::DoNotOptimize(isCompressed ? compressor.compress(links).size()
                                                      : links.size());
            }
        }
    report(state);
}

/// The arguments of a block, 256 KiB, as an import keeps them: its compression or its filter.
void argsPart(benchmark::State &state, bool isCompressed)
{
    core::ByteBuffer block;
    std::ifstream in(files().plain, std::ios::binary);
    block.resize(256 * 1024);
    in.seekg(static_cast<std::streamoff>(std::filesystem::file_size(files().plain) / 2));
    in.read(reinterpret_cast<char *>(block.data()), static_cast<std::streamsize>(block.size()));
    core::Compressor compressor;
    for (auto _ : state)
        benchmark::DoNotOptimize(isCompressed ? compressor.compress(block).size()
                                              : core::makeArgsFilter(block).size());
    state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * block.size()));
}

} // namespace

#define STAGE(function)                                                                            \
    BENCHMARK_CAPTURE(function, plain, false)                                                      \
        ->Unit(benchmark::kMillisecond)                                                            \
        ->MeasureProcessCPUTime();                                                                 \
    BENCHMARK_CAPTURE(function, gzip, true)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()

STAGE(readStage);
STAGE(scanStage);
STAGE(translateStage);
STAGE(collectStage);
STAGE(writeStage);
STAGE(importStage);
BENCHMARK(nestPart)->Unit(benchmark::kMillisecond);
BENCHMARK(phasesPart)->Unit(benchmark::kMillisecond);
BENCHMARK(levelsPart)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(chunksPart, encoded, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(chunksPart, compressed, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(argsPart, compressed, true)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(argsPart, filtered, false)->Unit(benchmark::kMicrosecond);
