// Several threads record at full speed, each into its own ring, while one writes them all to a
// file: what a collector does in a training process.
#include "collectors/format/record_file.h"
#include "collectors/format/record_scanner.h"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

using namespace collectors;

namespace {

constexpr std::uint32_t threadCount = 4;
constexpr std::uint64_t recordCount = 200'000; // a thread

void recordAndWrite(const std::string &path)
{
    RecordFile file(path, describeProcess(CollectorFramework));
    std::vector<std::unique_ptr<RecordRing>> rings;
    for (std::uint32_t i = 0; i < threadCount; ++i)
        rings.push_back(std::make_unique<RecordRing>(1 << 17));
    std::atomic<std::uint32_t> running { threadCount };
    std::vector<std::thread> threads;
    for (std::uint32_t i = 0; i < threadCount; ++i) {
        threads.emplace_back([&running, &ring = *rings[i], i] {
            for (std::uint64_t index = 0; index < recordCount; ++index)
                ring.push(RecordIteration, i + 1, IterationRecord { 1, 2, index });
            --running;
        });
    }
    while (running > 0) {
        for (const auto &ring : rings)
            file.drain(*ring);
    }
    for (std::thread &thread : threads)
        thread.join();
    for (const auto &ring : rings)
        file.drain(*ring);
    file.end();
}

/// Every record is there once and in its thread's order, or was counted as dropped.
bool isComplete(const std::string &path)
{
    std::ifstream stream(path, std::ios::binary);
    const std::string bytes { std::istreambuf_iterator<char>(stream),
                              std::istreambuf_iterator<char>() };
    RecordScanner scanner;
    scanner.feed(bytes);
    scanner.finish();
    std::map<std::uint32_t, std::uint64_t> next;
    std::uint64_t kept = 0;
    std::uint64_t dropped = 0;
    RecordView record;
    while (scanner.next(record)) {
        if (record.header.kind == RecordDropped)
            dropped += record.as<DroppedRecord>().count;
        if (record.header.kind != RecordIteration)
            continue;
        const std::uint64_t index = record.as<IterationRecord>().index;
        if (index < next[record.header.threadId])
            return false;
        next[record.header.threadId] = index + 1;
        ++kept;
    }
    std::printf("%llu records written, %llu dropped\n", static_cast<unsigned long long>(kept),
                static_cast<unsigned long long>(dropped));
    return scanner.skippedBytes() == 0 && kept + dropped == threadCount * recordCount;
}

} // namespace

int main()
{
    const std::filesystem::path path = std::filesystem::temp_directory_path()
        / ("longpole-stress-" + std::to_string(getpid()) + ".lp");
    recordAndWrite(path.string());
    const bool isRight = isComplete(path.string());
    std::filesystem::remove(path);
    return isRight ? 0 : 1;
}
