// Many threads call the NCCL plug-in at once: ranks of several communicators as NCCL calls, and
// threads that stop and change what others have in hand, while communicators come and go.
#include "collectors/format/record_scanner.h"
#include "tests/collectors/nccl/simulated_job.h"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

using namespace collectors;

namespace {

constexpr int jobCount = 3, rounds = 4;
constexpr int allReduceCount = 40;
constexpr int ranksOfJob = 4;

/// Handles that other threads may use meanwhile, or have closed.
class SharedHandles
{
public:
    void put(void *handle) { m_handles[m_next.fetch_add(1) % m_handles.size()].store(handle); }
    void *any(std::uint32_t random) const { return m_handles[random % m_handles.size()].load(); }

private:
    std::array<std::atomic<void *>, 64> m_handles {};
    std::atomic<std::size_t> m_next { 0 };
};

/// Opens and closes at random, with handles of all threads.
void misuse(tests::LoadedPlugin &plugin, void *context, SharedHandles &handles, unsigned seed)
{
    std::minstd_rand random(seed);
    for (int i = 0; i < 20'000; ++i) {
        void *const handle = handles.any(static_cast<std::uint32_t>(random()));
        switch (random() % 8) {
        case 0:
            handles.put(plugin.startAllReduce(context, nullptr, 0, 9, { 1, 1, 2 }));
            break;
        case 1:
            handles.put(plugin.startProxyOp(context, handle, 0, { 0, 1, 4, true, 0 }));
            break;
        case 2:
            handles.put(plugin.startKernelChannel(context, handle, 0, 0, 1));
            break;
        case 3:
            handles.put(plugin.startApi(context, 0x200, "AllReduce"));
            break;
        case 4:
            plugin.stop(handle);
            break;
        case 5:
            plugin.state(handle, static_cast<int>(random() % 25), 1);
            break;
        default:
            handles.put(plugin.startProxyStep(context, handle, 0, static_cast<int>(random() % 20)));
        }
    }
}

void runRound(tests::LoadedPlugin &plugin, int round)
{
    std::vector<std::thread> threads;
    for (int i = 0; i < jobCount; ++i) {
        tests::SimulatedJob job;
        job.communicator = static_cast<std::uint64_t>(100 + round * jobCount + i);
        job.allReduces = allReduceCount;
        threads.emplace_back([&plugin, job] { runSimulatedJob(plugin, job); });
    }
    SharedHandles handles;
    void *context = plugin.init(9, "misused", 2, 0);
    for (unsigned i = 0; i < 3; ++i)
        threads.emplace_back([&, i] { misuse(plugin, context, handles, i + 1); });
    for (std::thread &thread : threads)
        thread.join();
    plugin.finalize(context);
}

/// Of the orderly jobs, every record is there once, or something was counted as dropped.
bool isComplete(const std::string &path)
{
    std::ifstream stream(path, std::ios::binary);
    const std::string bytes { std::istreambuf_iterator<char>(stream),
                              std::istreambuf_iterator<char>() };
    RecordScanner scanner;
    scanner.feed(bytes);
    scanner.finish();
    std::uint64_t steps = 0, dropped = 0, collectives = 0, ends = 0;
    RecordView record;
    while (scanner.next(record)) {
        if (record.header.kind == RecordProxyStep)
            steps += record.as<ProxyStepRecord>().operation.communicator >= 100 ? 1 : 0;
        if (record.header.kind == RecordCollective)
            collectives += record.as<CollectiveRecord>().communicator >= 100 ? 1 : 0;
        if (record.header.kind == RecordDropped)
            dropped += record.as<DroppedRecord>().count;
        ends += record.header.kind == RecordEnd ? 1 : 0;
    }
    const std::uint64_t calls = std::uint64_t { rounds } * jobCount * ranksOfJob * allReduceCount;
    const std::uint64_t expectedSteps = calls
        * (2 * 2 * static_cast<std::uint64_t>(tests::SimulatedRank::Shape {}.stepsOfAllReduce())
           + 2);
    std::printf("%llu of %llu steps, %llu of %llu collectives, %llu dropped\n",
                static_cast<unsigned long long>(steps),
                static_cast<unsigned long long>(expectedSteps),
                static_cast<unsigned long long>(collectives),
                static_cast<unsigned long long>(calls), static_cast<unsigned long long>(dropped));
    return scanner.skippedBytes() == 0 && ends == 0 && steps <= expectedSteps
        && collectives <= calls && steps + dropped >= expectedSteps
        && collectives + dropped >= calls;
}

} // namespace

int main()
{
    const std::filesystem::path folder = std::filesystem::temp_directory_path()
        / ("longpole-stress-nccl-" + std::to_string(getpid()));
    setenv("LONGPOLE_OUT", folder.c_str(), 1);
    setenv("LONGPOLE_QUIET", "1", 1);
    tests::LoadedPlugin plugin(NCCL_PLUGIN, 5);
    for (int round = 0; round < rounds; ++round)
        runRound(plugin, round);
    bool isRight = false;
    for (const auto &file : std::filesystem::directory_iterator(folder))
        isRight = isComplete(file.path().string());
    std::filesystem::remove_all(folder);
    return isRight ? 0 : 1;
}
