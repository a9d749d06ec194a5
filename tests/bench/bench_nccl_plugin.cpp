#include "tests/collectors/nccl/simulated_rank.h"

#include <benchmark/benchmark.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

namespace {

/// The plug-in, recording into a folder of its own that is removed at the end.
class PluginInUse
{
public:
    PluginInUse()
        : m_folder(std::filesystem::temp_directory_path()
                   / ("longpole-bench-nccl-" + std::to_string(getpid())))
    {
        setenv("LONGPOLE_OUT", m_folder.c_str(), 1);
        setenv("LONGPOLE_QUIET", "1", 1);
        m_plugin = std::make_unique<tests::LoadedPlugin>(NCCL_PLUGIN, 5);
        m_rank = std::make_unique<tests::SimulatedRank>(*m_plugin, 1, 0,
                                                        tests::SimulatedRank::Shape {});
    }
    ~PluginInUse()
    {
        m_rank->finalize();
        std::filesystem::remove_all(m_folder);
    }

    tests::LoadedPlugin &plugin() { return *m_plugin; }
    tests::SimulatedRank &rank() { return *m_rank; }

private:
    std::filesystem::path m_folder;
    std::unique_ptr<tests::LoadedPlugin> m_plugin;
    std::unique_ptr<tests::SimulatedRank> m_rank;
};

double threadSeconds()
{
    timespec now {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// CPU time of the calling thread for one callback, in the mix of a network step: two starts of a
/// receive, four states and a stop. Target: 150 ns.
void callbackOfStep(benchmark::State &state)
{
    constexpr int Callbacks = 7, StepsOfOp = 1024;
    PluginInUse use;
    tests::LoadedPlugin &plugin = use.plugin();
    void *const context = use.rank().context();
    void *const operation = use.rank().enqueueAllReduce();
    void *op = nullptr;
    int step = StepsOfOp;
    const double begin = threadSeconds();
    for (auto _ : state) {
        if (step == StepsOfOp) {
            plugin.stop(op);
            op = plugin.startProxyOp(context, operation, 0, { 0, 3, StepsOfOp, false, 0 });
            step = 0;
        }
        plugin.startProxyStep(context, op, 0, step);
        void *const handle = plugin.startProxyStep(context, op, 0, step);
        plugin.state(handle, 10, 1);
        plugin.state(handle, 10, 1);
        plugin.state(handle, 11, 65536);
        plugin.state(handle, 12, 1);
        plugin.stop(handle);
        ++step;
    }
    const double callbacks = static_cast<double>(state.iterations()) * Callbacks;
    state.counters["ns_per_callback"] = 1e9 * (threadSeconds() - begin) / callbacks;
}
BENCHMARK(callbackOfStep);

/// A collective's calls on the thread that enqueues it: 14 callbacks.
void enqueue(benchmark::State &state)
{
    constexpr int Callbacks = 14;
    PluginInUse use;
    const double begin = threadSeconds();
    for (auto _ : state)
        benchmark::DoNotOptimize(use.rank().enqueueAllReduce());
    const double callbacks = static_cast<double>(state.iterations()) * Callbacks;
    state.counters["ns_per_callback"] = 1e9 * (threadSeconds() - begin) / callbacks;
}
BENCHMARK(enqueue);

/// A whole collective of two channels in the proxy's thread.
void progress(benchmark::State &state)
{
    PluginInUse use;
    void *const operation = use.rank().enqueueAllReduce();
    for (auto _ : state)
        use.rank().progressAllReduce(operation);
}
BENCHMARK(progress);

} // namespace
