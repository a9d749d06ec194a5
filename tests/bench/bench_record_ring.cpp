#include "collectors/format/crc32c.h"
#include "collectors/format/record_ring.h"

#include <benchmark/benchmark.h>

#include <array>

namespace {

using namespace collectors;

/// What a callback in a training process pays, and (release and acquire) what the writing thread
/// pays for checks; without the disk.
void recordProxyStep(benchmark::State &state)
{
    RecordRing ring(1 << 20);
    ProxyStepRecord step {};
    std::uint64_t pushed = 0;
    for (auto _ : state) {
        ++step.start;
        benchmark::DoNotOptimize(ring.push(RecordProxyStep, 1, step));
        if (++pushed % 8000 == 0) {
            state.PauseTiming();
            while (!ring.acquire().empty())
                ring.release();
            state.ResumeTiming();
        }
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(recordProxyStep);

void recordAndSealProxyStep(benchmark::State &state)
{
    RecordRing ring(1 << 20);
    ProxyStepRecord step {};
    for (auto _ : state) {
        for (int i = 0; i < 1000; ++i) {
            ++step.start;
            ring.push(RecordProxyStep, 1, step);
        }
        while (!ring.acquire().empty())
            ring.release();
    }
    state.SetItemsProcessed(state.iterations() * 1000);
}
BENCHMARK(recordAndSealProxyStep);

void checkOf(benchmark::State &state)
{
    std::array<unsigned char, 65536> bytes {};
    for (auto _ : state)
        benchmark::DoNotOptimize(crc32c(bytes.data(), static_cast<std::size_t>(state.range(0))));
    state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(checkOf)->Arg(72)->Arg(65536);

} // namespace
