#include "tests/collectors/cupti/cuda_program.h"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>

using namespace collectors;

namespace tests {

namespace {

    CudaProgram *attaching = nullptr; ///< whose tables the injection gets
    std::atomic<std::uint32_t> nextCorrelation { 1 };
    constexpr std::array KernelNames
        = { "_Z4gemmPf", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "_Z4reluPf" };

    template <class Function>
    void find(void *handle, const char *name, Function &function)
    {
        if (handle != nullptr)
            function = reinterpret_cast<Function>(dlsym(handle, name));
    }

    void *openNamed(const char *variable)
    {
        const char *path = std::getenv(variable);
        return path != nullptr ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : nullptr;
    }

    int moduleTable(int module, nvtx::FunctionTable *table, unsigned *size)
    {
        static std::array<nvtx::FunctionPointer *, 16> core;
        static std::array<nvtx::FunctionPointer *, 16> domains;
        auto &entries = module == nvtx::ModuleCore ? core : domains;
        auto *functions = module == nvtx::ModuleCore ? attaching->core : attaching->domains;
        for (std::size_t i = 0; i < entries.size(); ++i)
            entries[i] = i == 0 ? nullptr : &functions[i];
        *table = entries.data();
        *size = 16;
        return module == nvtx::ModuleCore || module == nvtx::ModuleCore2 ? 1 : 0;
    }

    const void *exportTable(std::uint32_t id)
    {
        static const nvtx::ExportTableCallbacks table { sizeof(table), &moduleTable };
        return id == nvtx::ExportCallbacks ? &table : nullptr;
    }

} // namespace

std::uint64_t nowNs()
{
    timespec now {};
    clock_gettime(CLOCK_REALTIME, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

void CudaProgram::start()
{
    void *collector = openNamed("CUDA_INJECTION64_PATH");
    int (*initialize)() = nullptr;
    find(collector, "InitializeInjection", initialize);
    if (initialize != nullptr)
        initialize();
    int (*initializeNvtx)(const void *(*)(std::uint32_t)) = nullptr;
    find(openNamed("NVTX_INJECTION64_PATH"), "InitializeInjectionNvtx2", initializeNvtx);
    if (initializeNvtx != nullptr)
        attachNvtx(initializeNvtx);
    if (collector == nullptr) // a program may call it without CUDA
        collector = openNamed("NVTX_INJECTION64_PATH");
    find(collector, "longpole_cupti_active", cuptiActive);
    find(collector, "longpole_start", startRecording);
    find(collector, "longpole_stop", stopRecording);
    find(collector, "longpole_mark", mark);
    find(collector, "longpole_push_external", pushExternal);
    find(collector, "longpole_pop_external", popExternal);
    findCupti();
}

int CudaProgram::attachNvtx(int (*injection)(const void *(*)(std::uint32_t)))
{
    attaching = this;
    return injection(&exportTable);
}

void CudaProgram::findCupti()
{
    void *cupti = openNamed("LONGPOLE_LIBCUPTI");
    find(cupti, "standInEmit", record);
    find(cupti, "standInIsEnabled", isEnabled);
    find(cupti, "standInEmitted", emitted);
    find(cupti, "standInDropped", dropped);
    find(cupti, "standInExternalId", externalId);
    find(cupti, "standInCallback", callback);
}

std::uint32_t CudaProgram::launch(std::uint32_t stream)
{
    const std::uint32_t correlation = nextCorrelation.fetch_add(1);
    if (record == nullptr)
        return correlation;
    const auto thread = static_cast<std::uint32_t>(syscall(SYS_gettid));
    const char *ahead = std::getenv("STAND_IN_AHEAD_NS");
    const std::uint64_t start
        = nowNs() + (ahead != nullptr ? std::strtoull(ahead, nullptr, 10) : 0);
    if (externalId() != 0) {
        const cupti::ExternalCorrelationActivity link { cupti::ActivityExternalCorrelation,
                                                        cupti::ExternalCustom0, externalId(),
                                                        correlation, 0 };
        record(&link, sizeof(link));
    }
    const cupti::ApiActivity call { cupti::ActivityRuntime,
                                    cupti::CudaLaunchKernel,
                                    start,
                                    start + 100,
                                    static_cast<std::uint32_t>(getpid()),
                                    thread,
                                    correlation,
                                    0 };
    record(&call, sizeof(call));
    cupti::KernelActivity kernel {};
    kernel.kind = cupti::ActivityKernel;
    kernel.registersPerThread = 32;
    kernel.start = start + 200;
    kernel.end = start + 700;
    kernel.device = 1;
    kernel.context = 2;
    kernel.stream = stream;
    kernel.grid[0] = static_cast<std::int32_t>(correlation);
    kernel.grid[1] = kernel.grid[2] = 1;
    kernel.block[0] = 128;
    kernel.block[1] = kernel.block[2] = 1;
    kernel.correlation = correlation;
    kernel.name = KernelNames[correlation % KernelNames.size()];
    kernel.graphNode = 98;
    kernel.graph = 5;
    record(&kernel, sizeof(kernel));
    return correlation;
}

void CudaProgram::doEverythingElse()
{
    if (record == nullptr)
        return;
    const std::uint64_t now = nowNs();
    const cupti::ContextActivity context { cupti::ActivityContext, 2, 1 };
    record(&context, sizeof(context));
    const cupti::ApiActivity call { cupti::ActivityDriver,
                                    cupti::CuLaunchKernel,
                                    now,
                                    now + 1,
                                    0,
                                    4242,
                                    nextCorrelation.fetch_add(1),
                                    2 };
    record(&call, sizeof(call));
    const cupti::MemcpyActivity copy {
        cupti::ActivityMemcpy,        1, 1, 3,       0, 4096, now, now + 50, 1, 2, 8,
        nextCorrelation.fetch_add(1), 0, 0, nullptr, 0, 0,    0
    };
    record(&copy, sizeof(copy));
    const cupti::MemcpyPeerActivity peer {
        cupti::ActivityMemcpyPeer,    10,      3, 3, 0, 512, now, now + 60, 1, 2, 8, 1, 2, 3, 4,
        nextCorrelation.fetch_add(1), nullptr, 0, 0, 0
    };
    record(&peer, sizeof(peer));
    const cupti::MemsetActivity set { cupti::ActivityMemset,        0, 64, now, now + 10, 1, 2, 8,
                                      nextCorrelation.fetch_add(1), 0, 0,  0,   nullptr,  0, 0, 0 };
    record(&set, sizeof(set));
    // The wait comes before the event that it waits for, as where another thread records that.
    std::array<std::uint64_t, 7> wait {};
    const cupti::SynchronizationActivity sync { cupti::ActivitySynchronization, 2, now, now + 5,
                                                nextCorrelation.fetch_add(1),   2, 8,   3 };
    std::memcpy(wait.data(), &sync, sizeof(sync));
    wait[cupti::SynchronizationEventSyncId / 8] = 77;
    record(wait.data(), sizeof(wait));
    std::array<std::uint64_t, 7> event {};
    const cupti::CudaEventActivity recorded { cupti::ActivityCudaEvent, 4711, 2, 7, 3, 0 };
    std::memcpy(event.data(), &recorded, sizeof(recorded));
    event[cupti::CudaEventEventSyncId / 8] = 77;
    record(event.data(), sizeof(event));
    const cupti::SynchronizationActivity all { cupti::ActivitySynchronization,
                                               4,
                                               now,
                                               now + 9,
                                               nextCorrelation.fetch_add(1),
                                               2,
                                               cupti::InvalidStream,
                                               cupti::InvalidStream };
    record(&all, sizeof(all));
    const cupti::GraphTraceActivity graph {
        cupti::ActivityGraphTrace, nextCorrelation.fetch_add(1), now, now + 9, 1, 5, 2, 7
    };
    record(&graph, sizeof(graph));
}

void CudaProgram::captureGraph()
{
    const auto handle = [](std::uintptr_t number) { return reinterpret_cast<void *>(number); };
    const auto call = [this](std::uint32_t id, const cupti::GraphData &graph) {
        const cupti::ResourceData data { nullptr, nullptr, &graph };
        callback(cupti::Resource, id, &data);
    };
    call(cupti::GraphNodeCreated, { handle(4), nullptr, handle(90), nullptr, 0, nullptr, nullptr });
    call(cupti::GraphNodeCreated, { handle(4), nullptr, handle(91), nullptr, 1, nullptr, nullptr });
    call(cupti::GraphNodeDependencyCreated,
         { handle(4), nullptr, handle(90), nullptr, 0, handle(91), nullptr });
    call(cupti::GraphNodeCloned,
         { handle(5), handle(4), handle(98), handle(90), 0, nullptr, nullptr });
}

int CudaProgram::push(const char *name) const
{
    const auto function
        = reinterpret_cast<int (*)(const char *)>(core[static_cast<int>(nvtx::RangePushA)]);
    return function != nullptr ? function(name) : -9;
}

int CudaProgram::pop() const
{
    const auto function = reinterpret_cast<int (*)()>(core[static_cast<int>(nvtx::RangePop)]);
    return function != nullptr ? function() : -9;
}

} // namespace tests
