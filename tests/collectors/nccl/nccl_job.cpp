// Calls the plug-in as NCCL does in a training process:
//   nccl_job PLUGIN VERSION ring FIRST_RANK LAST_RANK RANKS ALL_REDUCES
// runs these ranks of a job and says how many all-reduces are done, one line each. The other modes
// are calls that NCCL was seen to make, or may: see modes below.
#include "tests/collectors/nccl/simulated_job.h"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>

using tests::LoadedPlugin;
using tests::SimulatedJob;
using tests::SimulatedRank;

namespace {

int ring(LoadedPlugin &plugin, char **arguments)
{
    SimulatedJob job;
    job.firstRank = std::atoi(arguments[0]);
    job.lastRank = std::atoi(arguments[1]);
    job.shape.rankCount = std::atoi(arguments[2]);
    job.allReduces = std::atoi(arguments[3]);
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

struct Mode
{
    const char *name;
    int (*run)(LoadedPlugin &, char **);
};
constexpr Mode modes[] = {
    { "ring", ring },     { "flood", flood }, { "misuse", misuse },         { "forked", forked },
    { "reload", reload }, { "full", full },   { "unfinished", unfinished }, { "keys", keys }
};

} // namespace

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
