// Calls the plug-in as NCCL does in a training process:
//   nccl_job PLUGIN VERSION ring FIRST_RANK LAST_RANK RANKS ALL_REDUCES [PAUSE_US]
// runs these ranks of a job and says how many all-reduces are done, one line each. The other modes
// are calls that NCCL was seen to make, or may: see modes below.
#include "tests/collectors/nccl/simulated_job.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <thread>

using tests::LoadedPlugin;
using tests::SimulatedJob;
using tests::SimulatedRank;

namespace {

/// Of the threads that a forked child has not, LeakSanitizer would find what was in their hands.
bool isForkedChild = false;

int ring(LoadedPlugin &plugin, char **arguments)
{
    SimulatedJob job;
    job.firstRank = std::atoi(arguments[0]);
    job.lastRank = std::atoi(arguments[1]);
    job.shape.rankCount = std::atoi(arguments[2]);
    job.allReduces = std::atoi(arguments[3]);
    job.pauseUs = arguments[4] != nullptr ? static_cast<unsigned>(std::atoi(arguments[4])) : 0;
    job.onAllReduce = [](int done) {
        std::printf("%d\n", done);
        std::fflush(stdout);
    };
    runSimulatedJob(plugin, job);
    return 0;
}

std::array<pthread_key_t, 4> ownKeys {};

/// Steps that NCCL never stops, more than there is room for.
int flood(LoadedPlugin &plugin, char **)
{
    constexpr int Ops = 2500, StepsOfOp = 16;
    SimulatedRank rank(plugin, 1, 0, {});
    void *operation = rank.enqueueAllReduce();
    for (int i = 0; i < Ops; ++i) {
        void *op = plugin.startProxyOp(rank.context(), operation, 0, { 0, 1, StepsOfOp, true, 0 });
        for (int step = 0; step < StepsOfOp; ++step)
            plugin.state(plugin.startProxyStep(rank.context(), op, 0, step), 9, 100);
    }
    rank.finalize();
    return 0;
}

/// Stopped or changed too late, too early, twice, or never; without parent; of another process.
int misuse(LoadedPlugin &plugin, char **)
{
    SimulatedRank rank(plugin, 1, 0, {});
    void *const context = rank.context();
    plugin.stop(nullptr);
    plugin.stop(reinterpret_cast<void *>(0x7fff12345678));
    plugin.state(nullptr, 9, 1);
    plugin.startProxyStep(nullptr, nullptr, 0, 0);
    plugin.startProxyStep(context, nullptr, 0, 0);
    plugin.startProxyOp(context, nullptr, 0, {});
    plugin.start(context, tests::DescriptorBytes().put(0, std::uint64_t { 0x40000000 }));
    void *operation = rank.enqueueAllReduce();
    void *op = plugin.startProxyOp(context, operation, 0, { 0, 1, 40, false, 0 });
    for (int step = 0; step < 40; ++step) { // never stopped, as before NCCL 2.27
        void *handle = plugin.startProxyStep(context, op, 0, step);
        plugin.state(handle, 10, 1);
        plugin.state(handle, 11, 500);
        plugin.state(handle, 9, 1); // of the other direction
    }
    void *last = plugin.startProxyStep(context, op, 0, 40);
    plugin.stop(op);
    plugin.stop(op);
    plugin.state(last, 11, 1);
    plugin.stop(last);
    plugin.startProxyOp(context, operation, 0, { 1, 1, 4, false, 0 }); // CollNet: no stop
    void *foreign = plugin.startProxyOp(context, reinterpret_cast<void *>(0x10), 3,
                                        { 0, 1, 1, true, getppid() });
    plugin.stop(foreign);
    plugin.stop(operation);
    plugin.finalize(nullptr);
    rank.finalize();
    plugin.stop(operation);
    plugin.startProxyOp(context, operation, 0, {});
    return 0;
}

/// A data loader's process: it inherits everything and ends as usual.
int forked(LoadedPlugin &plugin, char **)
{
    SimulatedRank rank(plugin, 1, 0, {});
    rank.progressAllReduce(rank.enqueueAllReduce());
    const pid_t child = fork();
    if (child == 0) {
        isForkedChild = true;
        rank.progressAllReduce(rank.enqueueAllReduce());
        rank.finalize();
        std::exit(SimulatedRank(plugin, 2, 0, {}).context() == nullptr ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    rank.progressAllReduce(rank.enqueueAllReduce());
    rank.finalize();
    return WEXITSTATUS(status);
}

/// NCCL unloads the library after its last communicator, and loads it again.
int reload(LoadedPlugin &plugin, char **)
{
    const auto runRank = [](LoadedPlugin &loaded, std::uint64_t communicator) {
        SimulatedRank rank(loaded, communicator, 0, {});
        rank.progressAllReduce(rank.enqueueAllReduce());
        rank.finalize();
    };
    runRank(plugin, 1);
    LoadedPlugin again(std::getenv("NCCL_PROFILER_PLUGIN"), plugin.version());
    runRank(again, 2);
    return 0;
}

/// Nothing is finalized: many programs end so.
int unfinished(LoadedPlugin &plugin, char **)
{
    SimulatedRank rank(plugin, 1, 0, {});
    rank.progressAllReduce(rank.enqueueAllReduce());
    return plugin.mask() != 0 ? 0 : 2;
}

/// The disk is full after 64 KiB; what says so would end the process by a signal.
int full(LoadedPlugin &plugin, char **)
{
    const rlimit limit { 65536, 65536 };
    setrlimit(RLIMIT_FSIZE, &limit);
    SimulatedRank rank(plugin, 1, 0, {});
    while (plugin.mask() != 0)
        rank.progressAllReduce(rank.enqueueAllReduce());
    rank.finalize();
    return 0;
}

/// The disk is full when the rest is written.
int small(LoadedPlugin &plugin, char **)
{
    const rlimit limit { 4096, 4096 };
    setrlimit(RLIMIT_FSIZE, &limit);
    SimulatedRank rank(plugin, 1, 0, {});
    rank.progressAllReduce(rank.enqueueAllReduce());
    rank.finalize();
    return 0;
}

/// What the program's threads keep under the program's own keys stays theirs: the keys that were
/// made before the plug-in's are small numbers, 0 among them.
int keys(LoadedPlugin &plugin, char **)
{
    int mine = 0;
    for (const pthread_key_t key : ownKeys)
        pthread_setspecific(key, &mine);
    SimulatedRank rank(plugin, 1, 0, {});
    rank.progressAllReduce(rank.enqueueAllReduce());
    rank.finalize();
    int changed = 0;
    for (const pthread_key_t key : ownKeys)
        changed += pthread_getspecific(key) == &mine ? 0 : 1;
    return changed;
}

/// A process that has no keys left: nothing is recorded, and theirs stay.
int lastKey(LoadedPlugin &plugin, char **arguments)
{
    pthread_key_t key {};
    while (pthread_key_create(&key, nullptr) == 0) { }
    const int changed = keys(plugin, arguments);
    return plugin.mask() == 0 ? changed : 100;
}

/// Communicators come while others are in use, and all share one mask.
int mask(LoadedPlugin &plugin, char **)
{
    SimulatedRank first(plugin, 1, 0, {});
    std::atomic<bool> isOver { false };
    std::atomic<int> wasClear { 0 };
    std::thread reader([&] {
        while (!isOver)
            wasClear += plugin.mask() == 0 ? 1 : 0;
    });
    for (std::uint64_t i = 2; i < 2000; ++i)
        SimulatedRank(plugin, i, 0, {}).finalize();
    isOver = true;
    reader.join();
    first.finalize();
    return wasClear == 0 ? 0 : 1;
}

/// NCCL looks at errno after a call of its own, and we come in between.
int keepErrno(LoadedPlugin &plugin, char **)
{
    constexpr int Own = 4711;
    errno = Own;
    SimulatedRank rank(plugin, 1, 0, {});
    void *const operation = errno == Own ? rank.enqueueAllReduce() : nullptr;
    const bool isKept = operation != nullptr && errno == Own;
    rank.finalize();
    return isKept && errno == Own ? 0 : 1;
}

/// Nobody reads what is said any more.
int unheard(LoadedPlugin &plugin, char **)
{
    std::array<int, 2> ends {};
    if (pipe(ends.data()) != 0 || dup2(ends[1], STDERR_FILENO) < 0)
        return 2;
    close(ends[0]);
    return unfinished(plugin, nullptr);
}

/// The program closes every descriptor and opens files of its own as them.
int closed(LoadedPlugin &plugin, char **arguments)
{
    constexpr int FirstOfUs = 3, MostOfUs = 100;
    SimulatedRank rank(plugin, 1, 0, {});
    for (int i = FirstOfUs; i < MostOfUs; ++i)
        close(i);
    for (int i = FirstOfUs; i < MostOfUs; ++i)
        open((std::string(arguments[0]) + '/' + std::to_string(i)).c_str(), O_CREAT | O_WRONLY,
             0600);
    while (plugin.mask() != 0)
        rank.progressAllReduce(rank.enqueueAllReduce());
    rank.finalize();
    off_t size = 0;
    for (int i = FirstOfUs; i < MostOfUs; ++i)
        size += lseek(i, 0, SEEK_END);
    return size == 0 ? 0 : 1;
}

/// The program works in another folder than it was started in.
int moved(LoadedPlugin &plugin, char **arguments)
{
    SimulatedRank rank(plugin, 1, 0, {});
    if (chdir(arguments[0]) != 0)
        return 2;
    rank.progressAllReduce(rank.enqueueAllReduce());
    rank.finalize();
    return 0;
}

/// The program ends while NCCL's threads call on.
int exiting(LoadedPlugin &plugin, char **)
{
    for (int i = 0; i < 4; ++i) {
        auto *const rank = new SimulatedRank(plugin, 1, i, {}); // outlives main
        std::thread([rank] {
            for (;;)
                rank->progressAllReduce(rank->enqueueAllReduce());
        }).detach();
    }
    usleep(100'000);
    std::exit(0);
}

void doBoth(SimulatedRank &rank)
{
    rank.progressAllReduce(rank.enqueueAllReduce());
    rank.progressExchange(rank.enqueueExchange());
}

/// A collective, a send and a receive four times, the second and the fourth time in the window that
/// Longpole's library for CUDA opens.
int window(LoadedPlugin &plugin, char **arguments)
{
    void *const library = dlopen(arguments[0], RTLD_NOW);
    if (library == nullptr)
        return 2;
    const auto asksOf
        = [library](const char *name) { return reinterpret_cast<int (*)()>(dlsym(library, name)); };
    const auto move = [&](bool isOpen) {
        reinterpret_cast<void (*)()>(dlsym(library, isOpen ? "longpole_start" : "longpole_stop"))();
        while (asksOf("longpole_window_open")() != (isOpen ? 1 : 0))
            usleep(1000);
    };
    asksOf("InitializeInjection")();
    SimulatedRank rank(plugin, 1, 0, {});
    for (const bool isOpen : { false, true, false }) {
        move(isOpen);
        doBoth(rank);
    }
    const int all = plugin.mask();
    while (plugin.mask() == all) // of what lies outside of the window NCCL need not tell
        usleep(1000);
    const int least = plugin.mask();
    move(true);
    doBoth(rank);
    const bool isAskedAgain = plugin.mask() == all && least == (all & 0x1006);
    rank.finalize();
    return isAskedAgain ? 0 : 1;
}

struct Mode
{
    const char *name;
    int (*run)(LoadedPlugin &, char **);
};
constexpr Mode modes[] = {
    { "ring", ring },
    { "flood", flood },
    { "misuse", misuse },
    { "forked", forked },
    { "reload", reload },
    { "full", full },
    { "unfinished", unfinished },
    { "keys", keys },
    { "last-key", lastKey },
    { "mask", mask },
    { "errno", keepErrno },
    { "unheard", unheard },
    { "closed", closed },
    { "moved", moved },
    { "exiting", exiting },
    { "window", window },
    { "small", small },
};

} // namespace

/// LeakSanitizer asks at the end; nobody does otherwise.
extern "C" int
__lsan_is_turned_off() // NOLINT(bugprone-reserved-identifier,readability-identifier-naming)
{
    return isForkedChild ? 1 : 0;
}

int main(int argc, char **argv)
try {
    for (pthread_key_t &key : ownKeys)
        pthread_key_create(&key, nullptr);
    LoadedPlugin plugin(argc > 3 ? argv[1] : "", argc > 3 ? std::atoi(argv[2]) : 0);
    setenv("NCCL_PROFILER_PLUGIN", argv[1], 1);
    for (const Mode &mode : modes)
        if (std::string(argv[3]) == mode.name)
            return mode.run(plugin, argv + 4);
    return 64;
} catch (const std::exception &error) {
    std::fprintf(stderr, "nccl_job: %s\n", error.what());
    return 64;
}
