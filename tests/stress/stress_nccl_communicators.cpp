// A job that makes and destroys communicators for days, as elastic and reinforcement training do,
// in a minute: several threads make thousands of them while one lives on and sends all the time.
#include "collectors/format/record_scanner.h"
#include "tests/collectors/nccl/loaded_plugin.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

using namespace collectors;

namespace {

constexpr std::uint64_t living = 1;
constexpr int makers = 3, communicatorsOfMaker = 3000, peers = 10;
constexpr std::uint64_t shortLived = std::uint64_t { makers } * communicatorsOfMaker;
constexpr std::uint64_t sendsOfShortLived = shortLived * peers;
// More than there is room for at once, of communicators, of keys of sends, and of names.
constexpr std::uint64_t mostCommunicators = 4096, mostKeys = 65536;
static_assert(shortLived > 2 * mostCommunicators && sendsOfShortLived > mostKeys * 5 / 4);

void sendOnce(tests::LoadedPlugin &plugin, void *context, std::uint64_t communicator, int peer)
{
    plugin.stop(plugin.startSend(context, nullptr, 0, communicator, { true, peer, 1, 0 }));
}

void makeAndDestroy(tests::LoadedPlugin &plugin, int maker)
{
    for (int i = 0; i < communicatorsOfMaker; ++i) {
        const int index = 100 + maker * communicatorsOfMaker + i;
        const auto number = static_cast<std::uint64_t>(index);
        void *context = plugin.init(number, std::to_string(number).c_str(), peers + 1, 0);
        while (context == nullptr) { // as fast as those that have ended are written
            usleep(10'000);
            context = plugin.init(number, std::to_string(number).c_str(), peers + 1, 0);
        }
        for (int peer = 1; peer <= peers; ++peer)
            sendOnce(plugin, context, number, peer);
        plugin.finalize(context);
    }
}

struct Found
{
    std::uint64_t ofLiving = 0, ofOthers = 0, communicators = 0, dropped = 0;
    bool isNumbered = true; ///< of the living one from 0 on, of the others all are the first
    std::size_t numbers = 0; ///< of the living one
    bool isReadable = true;
};

Found read(const std::string &path)
{
    std::ifstream stream(path, std::ios::binary);
    const std::string bytes { std::istreambuf_iterator<char>(stream),
                              std::istreambuf_iterator<char>() };
    RecordScanner scanner;
    scanner.feed(bytes);
    scanner.finish();
    Found found;
    std::vector<bool> seen;
    RecordView record;
    while (scanner.next(record)) {
        found.communicators += record.header.kind == RecordCommunicator ? 1 : 0;
        if (record.header.kind == RecordDropped)
            found.dropped += record.as<DroppedRecord>().count;
        if (record.header.kind != RecordPointToPoint)
            continue;
        const auto send = record.as<PointToPointRecord>();
        if (send.communicator != living) {
            ++found.ofOthers;
            found.isNumbered = found.isNumbered && send.number == 0;
            continue;
        }
        ++found.ofLiving;
        seen.resize(std::max<std::size_t>(seen.size(), send.number + 1));
        found.isNumbered = found.isNumbered && !seen[send.number];
        seen[send.number] = true;
    }
    found.numbers = seen.size();
    found.isReadable = scanner.skippedBytes() == 0;
    return found;
}

/// kB of memory of this process.
long memoryKb()
{
    std::ifstream stream("/proc/self/statm");
    long pages = 0, resident = 0;
    stream >> pages >> resident;
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

} // namespace

int main()
{
    const std::filesystem::path folder = std::filesystem::temp_directory_path()
        / ("longpole-stress-communicators-" + std::to_string(getpid()));
    setenv("LONGPOLE_OUT", folder.c_str(), 1);
    setenv("LONGPOLE_QUIET", "1", 1);
    tests::LoadedPlugin plugin(NCCL_PLUGIN, 5);
    void *context = plugin.init(living, "living", 2, 0);
    std::atomic<bool> isOver { false };
    std::uint64_t sent = 0;
    std::thread sender([&] {
        for (; !isOver; ++sent) {
            sendOnce(plugin, context, living, 1);
            usleep(500);
        }
    });
    std::vector<std::thread> threads;
    threads.reserve(makers);
    for (int maker = 0; maker < makers; ++maker)
        threads.emplace_back([&plugin, maker] { makeAndDestroy(plugin, maker); });
    for (std::thread &thread : threads)
        thread.join();
    const long memory = memoryKb();
    isOver = true;
    sender.join();
    plugin.finalize(context);

    Found found;
    for (const auto &file : std::filesystem::directory_iterator(folder))
        found = read(file.path().string());
    std::filesystem::remove_all(folder);
    std::printf("%llu of %llu sends, %llu of %llu of the others, %llu communicators, "
                "%llu dropped, %ld kB\n",
                static_cast<unsigned long long>(found.ofLiving),
                static_cast<unsigned long long>(sent),
                static_cast<unsigned long long>(found.ofOthers),
                static_cast<unsigned long long>(sendsOfShortLived),
                static_cast<unsigned long long>(found.communicators),
                static_cast<unsigned long long>(found.dropped), memory);
    // On a busy machine the writing thread may come too late for some, which is counted.
    const bool isWhole = found.isReadable && found.isNumbered && found.numbers <= sent
        && found.ofLiving + found.dropped >= sent
        && found.ofOthers + found.dropped >= sendsOfShortLived && found.ofOthers > mostKeys
        && found.communicators == shortLived + 1;
    return isWhole ? 0 : 1;
}
