// Clocks of a job of 4,096 ranks: solved from what 1,000 collectives of all of them say, and from a
// trace, whose calls are matched first; and of 512 in pairs that only messages join.
#include "core/align/align.h"
#include "core/align/clock_offsets.h"

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cstdlib>
#include <random>
#include <string>

using namespace core;

namespace {

std::size_t smokeOr(std::size_t smoke, std::size_t whole)
{
    return std::getenv("LONGPOLE_BENCH_SMOKE") ? smoke : whole;
}

std::int64_t offsetNs(std::size_t rank)
{
    return static_cast<std::int64_t>(rank % 64) * 50'000;
}

/// When a rank, whose clock is off, entered and left; each comes up to 1 ms late and leaves with
/// the others within 20 us.
class Recorder
{
public:
    ObservedPart part(std::size_t rank, std::size_t collective)
    {
        const std::int64_t at = static_cast<std::int64_t>(collective) * 10'000'000 - offsetNs(rank);
        return { rank, at + m_late(m_random), at + 2'000'000 + m_jitter(m_random) };
    }

private:
    std::mt19937_64 m_random { 1 };
    std::uniform_int_distribution<std::int64_t> m_late { 0, 1'000'000 }, m_jitter { 0, 20'000 };
};

ClockEvidence evidenceOf(std::size_t ranks, std::size_t collectives)
{
    Recorder recorder;
    ClockEvidence evidence;
    evidence.collectives.resize(collectives);
    for (std::size_t k = 0; k < collectives; ++k)
        for (std::size_t rank = 0; rank < ranks; ++rank)
            evidence.collectives[k].parts.push_back(recorder.part(rank, k));
    return evidence;
}

Trace traceOf(std::size_t ranks, std::size_t collectives)
{
    Recorder recorder;
    Trace trace;
    trace.names = { "", "nccl:all_reduce" };
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        const WorkerId worker(static_cast<std::uint32_t>(rank));
        trace.workers.push_back({ worker, static_cast<int>(rank), {}, {}, {}, {} });
        Track &track = trace.tracks.emplace_back();
        track.id = TrackId(worker.value);
        track.worker = worker;
        track.file = FileId(worker.value);
        track.firstSlice = SliceId(rank * collectives);
        track.sliceCount = collectives;
        SliceColumns &slices = trace.slices.emplace_back();
        slices.first = track.firstSlice;
        for (std::size_t k = 0; k < collectives; ++k) {
            const ObservedPart part = recorder.part(rank, k);
            slices.startNs.push_back(part.startNs);
            slices.durationNs.push_back(part.endNs - part.startNs);
            slices.name.push_back(NameId(1));
            slices.category.push_back(Category::CommKernel);
            CollectiveCall &call = trace.collectives.emplace_back();
            call.slice = SliceId(track.firstSlice.value + k);
            call.worker = worker;
            call.kind = "all_reduce";
            call.group = "world";
            call.bytes = 1024;
        }
    }
    return trace;
}

/// The most memory that this process has had.
double peakMib()
{
    rusage usage {};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
}

void solve(benchmark::State &state)
{
    const std::size_t ranks = smokeOr(64, 4096);
    const ClockEvidence evidence = evidenceOf(ranks, smokeOr(50, 1000));
    const std::vector<std::string> hosts(ranks);
    const double beforeMib = peakMib();
    for ([[maybe_unused]] auto turn : state) {
        const ClockSolution solution = solveOffsets(evidence, hosts, 0, {});
        if (std::abs(solution.workers.back()->offsetNs - offsetNs(ranks - 1)) > 10'000)
            state.SkipWithError("the last rank's offset is wrong");
    }
    state.counters["MiB more"] = peakMib() - beforeMib;
}
BENCHMARK(solve)->Unit(benchmark::kMillisecond);

/// Pairs of ranks with collectives of their own, joined in a row by messages, as stages are.
ClockEvidence evidenceOfPairs(std::size_t ranks, std::size_t collectives)
{
    Recorder recorder;
    ClockEvidence evidence;
    for (std::size_t k = 0; k < collectives; ++k)
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            if (rank % 2 == 0)
                evidence.collectives.push_back(
                    { { recorder.part(rank, k), recorder.part(rank + 1, k) } });
            if (rank % 2 != 0 && rank + 1 < ranks) {
                evidence.messages.push_back({ recorder.part(rank, k), recorder.part(rank + 1, k) });
                evidence.messages.push_back({ recorder.part(rank + 1, k), recorder.part(rank, k) });
            }
        }
    return evidence;
}

void solvePairs(benchmark::State &state)
{
    const std::size_t ranks = smokeOr(16, 512);
    const ClockEvidence evidence = evidenceOfPairs(ranks, smokeOr(20, 100));
    const std::vector<std::string> hosts(ranks);
    for ([[maybe_unused]] auto turn : state)
        if (!solveOffsets(evidence, hosts, 0, {}).workers.back())
            state.SkipWithError("the last rank is not aligned");
}
BENCHMARK(solvePairs)->Unit(benchmark::kMillisecond);

void matchAndSolve(benchmark::State &state)
{
    const Trace trace = traceOf(smokeOr(64, 4096), smokeOr(50, 100));
    const double beforeMib = peakMib();
    for ([[maybe_unused]] auto turn : state)
        if (!align(trace, {}).workers.back().isKnown)
            state.SkipWithError("the last rank is not aligned");
    state.counters["MiB more"] = peakMib() - beforeMib;
}
BENCHMARK(matchAndSolve)->Unit(benchmark::kMillisecond);

} // namespace

BENCHMARK_MAIN();
