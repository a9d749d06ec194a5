#include "collectors/cupti/cupti_session.h"
#include "collectors/cupti/nvtx_injection.h"
#include "collectors/cupti/recorder.h"
#include "tests/collectors/cupti/cuda_program.h"

#include <benchmark/benchmark.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace {

int attach(const void *(*getExportTable)(std::uint32_t))
{
    return collectors::attachNvtx(getExportTable) ? 1 : 0;
}

/// A program that is recorded, with the stand-in for libcupti, into a folder of its own that is
/// removed at the end of the process.
struct RecordedProgram
{
    RecordedProgram()
        : folder(std::filesystem::temp_directory_path()
                 / ("longpole-bench-cupti-" + std::to_string(getpid())))
    {
        setenv("LONGPOLE_LIBCUPTI", LONGPOLE_STAND_IN_CUPTI, 1);
        setenv("LONGPOLE_OUT", folder.c_str(), 1);
        setenv("LONGPOLE_QUIET", "1", 1);
        collectors::Recorder *recorder = collectors::Recorder::open();
        program.findCupti();
        isRecorded = recorder != nullptr && recorder->startCupti() && program.attachNvtx(&attach);
    }
    ~RecordedProgram() { std::filesystem::remove_all(folder); }

    std::filesystem::path folder;
    tests::CudaProgram program;
    bool isRecorded = false;
};

RecordedProgram &recorded()
{
    static RecordedProgram instance;
    return instance;
}

double threadSeconds()
{
    timespec now {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// CPU time of the calling thread for nvtxRangePush or nvtxRangePop, with room in its ring.
/// Target: 150 ns.
void callbackOfRange(benchmark::State &state)
{
    constexpr int Pairs = 1000;
    constexpr useconds_t WriterUs = 5000; // has what the writer needs for so many
    const tests::CudaProgram &program = recorded().program;
    if (!recorded().isRecorded)
        return state.SkipWithError("nothing is recorded");
    double seconds = 0;
    for (auto _ : state) {
        const double begin = threadSeconds();
        for (int i = 0; i < Pairs; ++i) {
            program.push("forward");
            program.pop();
        }
        const double batch = threadSeconds() - begin;
        state.SetIterationTime(batch);
        seconds += batch;
        usleep(WriterUs);
    }
    state.counters["ns_per_callback"]
        = 1e9 * seconds / (2.0 * Pairs * static_cast<double>(state.iterations()));
}
BENCHMARK(callbackOfRange)->UseManualTime();

/// A buffer's way to CUPTI and back, on a thread of the program; a buffer has room for 16,384
/// launches and kernels.
void buffer(benchmark::State &state)
{
    constexpr double RecordsOfBuffer = 32'768;
    collectors::BufferPool pool(std::size_t { 64 } << 20U);
    double seconds = 0;
    for (auto _ : state) {
        const double begin = threadSeconds();
        std::uint8_t *given = pool.give();
        pool.take(given, collectors::BufferPool::BufferBytes);
        const double one = threadSeconds() - begin;
        state.SetIterationTime(one);
        seconds += one;
        pool.release(pool.next());
    }
    state.counters["ns_per_record"]
        = 1e9 * seconds / (RecordsOfBuffer * static_cast<double>(state.iterations()));
}
BENCHMARK(buffer)->UseManualTime();

} // namespace
