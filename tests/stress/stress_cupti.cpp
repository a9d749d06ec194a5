// A program's threads launch kernels and open NVTX ranges, some of them for a moment only, while
// the CUPTI collector records with too few buffers: nothing is lost without being counted.
#include "collectors/cupti/nvtx_injection.h"
#include "collectors/cupti/recorder.h"
#include "collectors/format/record_scanner.h"
#include "tests/collectors/cupti/cuda_program.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <thread>
#include <vector>

using namespace collectors;

namespace {

constexpr int launchCount = 20'000; // a thread
constexpr int rangeCount = 2'000; // a thread
constexpr int roundCount = 20;

int attach(const void *(*getExportTable)(std::uint32_t))
{
    return attachNvtx(getExportTable) ? 1 : 0;
}

void inThreads(int count, const std::function<void(int)> &work)
{
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i)
        threads.emplace_back([&work, i] { work(i); });
    for (std::thread &thread : threads)
        thread.join();
}

void openRanges(const tests::CudaProgram &program, int thread)
{
    const std::string name = "thread " + std::to_string(thread);
    for (int i = 0; i < rangeCount / roundCount; ++i) {
        program.push(name.c_str());
        program.pop();
    }
}

void runProgram(tests::CudaProgram &program)
{
    std::thread ranges([&program] {
        for (int round = 0; round < roundCount; ++round)
            inThreads(4, [&program](int thread) { openRanges(program, thread); });
    });
    inThreads(4, [&program](int) {
        for (int i = 0; i < launchCount; ++i)
            program.launch();
    });
    ranges.join();
}

bool isComplete(const std::filesystem::path &folder, std::uint64_t emitted)
{
    std::ifstream stream(std::filesystem::directory_iterator(folder)->path(), std::ios::binary);
    const std::string bytes { std::istreambuf_iterator<char>(stream),
                              std::istreambuf_iterator<char>() };
    RecordScanner scanner;
    scanner.feed(bytes);
    scanner.finish();
    std::uint64_t activities = 0;
    std::uint64_t ranges = 0;
    std::uint64_t dropped = 0;
    std::set<std::uint64_t> kernels;
    bool isUnique = true;
    RecordView record;
    while (scanner.next(record)) {
        const int kind = record.header.kind;
        activities += kind == RecordKernel || kind == RecordApiCall ? 1 : 0;
        ranges += kind == RecordRange ? 1 : 0;
        if (kind == RecordKernel)
            isUnique &= kernels.insert(record.as<KernelRecord>().correlation).second;
        if (kind == RecordDropped)
            dropped += record.as<DroppedRecord>().count;
    }
    std::printf("%llu activities and %llu ranges written, %llu records dropped\n",
                static_cast<unsigned long long>(activities),
                static_cast<unsigned long long>(ranges), static_cast<unsigned long long>(dropped));
    return isUnique && scanner.skippedBytes() == 0
        && activities + ranges + dropped == emitted + 4ULL * rangeCount;
}

} // namespace

int main()
{
    const std::filesystem::path folder = std::filesystem::temp_directory_path()
        / ("longpole-stress-cupti-" + std::to_string(getpid()));
    setenv("LONGPOLE_LIBCUPTI", LONGPOLE_STAND_IN_CUPTI, 1);
    setenv("LONGPOLE_OUT", folder.c_str(), 1);
    setenv("LONGPOLE_BUFFER_MIB", "16", 1);
    setenv("LONGPOLE_FLUSH_MS", "10", 1);
    Recorder *recorder = Recorder::open();
    tests::CudaProgram program;
    program.findCupti();
    if (recorder == nullptr || !recorder->startCupti() || program.attachNvtx(&attach) == 0)
        return 1;
    runProgram(program);
    recorder->finish();
    const bool isRight = isComplete(folder, program.emitted());
    std::filesystem::remove_all(folder);
    return isRight ? 0 : 1;
}
