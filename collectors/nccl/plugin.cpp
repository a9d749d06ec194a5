#include "collectors/format/errno_guard.h"
#include "collectors/nccl/process_recorder.h"

// What NCCL finds in libnccl-profiler-longpole.so: ncclProfiler_v1 to ncclProfiler_v7, over one
// recorder. The library stays loaded (-z nodelete): NCCL unloads it after its last communicator,
// while threads may still run in it, and may load it again.
namespace collectors {

namespace {

    constexpr int VersionWithStepSizes = 4;

    template <class Descriptor>
    int startEvent(void *context, void **handle, Descriptor *descriptor)
    {
        if (handle == nullptr)
            return abi::Success;
        const ErrnoGuard errnoGuard;
        *handle = nullptr; // NCCL keeps what was there before otherwise
        EventRecorder *recorder = processRecorder().recorder();
        if (recorder != nullptr && descriptor != nullptr)
            *handle = recorder->startEvent(context, profilerEvent(*descriptor));
        return abi::Success;
    }

    int stopEvent(void *handle)
    {
        const ErrnoGuard errnoGuard;
        if (EventRecorder *recorder = processRecorder().recorder())
            recorder->stopEvent(handle);
        return abi::Success;
    }

    template <int Version>
    int recordEventState(void *handle, int state, abi::StateArguments *arguments)
    {
        if (EventRecorder *recorder = processRecorder().recorder())
            recorder->setState(handle, state, arguments, Version >= VersionWithStepSizes);
        return abi::Success;
    }

    int finalize(void *context)
    {
        processRecorder().finishCommunicator(context);
        return abi::Success;
    }

    /// Of a failure NCCL learns nothing: it would go on calling (before 2.30).
    int addCommunicator(int version, void **context, int *mask, Contexts::Context about,
                        const char *name)
    {
        void *handle = processRecorder().addCommunicator(version, mask, about, name);
        if (context != nullptr)
            *context = handle;
        return abi::Success;
    }

    Contexts::Context about(std::uint64_t communicator, int rank, int rankCount, int nodeCount)
    {
        Contexts::Context context {};
        context.communicator = communicator;
        context.rank = static_cast<std::uint32_t>(rank);
        context.rankCount = static_cast<std::uint32_t>(rankCount);
        context.nodeCount = static_cast<std::uint32_t>(nodeCount);
        return context;
    }

    template <int Version>
    int initWithoutCommunicator(void **context, int *mask)
    {
        return addCommunicator(Version, context, mask, {}, nullptr);
    }

    int initV4(void **context, int *mask, const char *name, std::uint64_t communicator,
               int nodeCount, int rankCount, int rank, abi::Logger)
    {
        return addCommunicator(4, context, mask, about(communicator, rank, rankCount, nodeCount),
                               name);
    }

    template <int Version>
    int init(void **context, std::uint64_t communicator, int *mask, const char *name, int nodeCount,
             int rankCount, int rank, abi::Logger)
    {
        return addCommunicator(Version, context, mask,
                               about(communicator, rank, rankCount, nodeCount), name);
    }

    template <class Descriptor, int Version>
    constexpr abi::PluginBody<Descriptor> pluginBody { &startEvent<Descriptor>, &stopEvent,
                                                       &recordEventState<Version>, &finalize };

    __attribute__((destructor)) void endProcess()
    {
        processRecorder().endProcess();
    }

} // namespace

} // namespace collectors

#define LONGPOLE_EXPORT __attribute__((visibility("default")))

extern "C" {
// Not constant: so are NVIDIA's own, and NCCL holds pointers to them.
LONGPOLE_EXPORT collectors::abi::PluginWithoutCommunicator<collectors::abi::DescriptorV1>
    ncclProfiler_v1 { "longpole", &collectors::initWithoutCommunicator<1>,
                      collectors::pluginBody<collectors::abi::DescriptorV1, 1> };
LONGPOLE_EXPORT collectors::abi::PluginWithoutCommunicator<collectors::abi::DescriptorV2>
    ncclProfiler_v2 { "longpole", &collectors::initWithoutCommunicator<2>,
                      collectors::pluginBody<collectors::abi::DescriptorV2, 2> };
LONGPOLE_EXPORT collectors::abi::PluginWithoutCommunicator<collectors::abi::DescriptorV3>
    ncclProfiler_v3 { "longpole", &collectors::initWithoutCommunicator<3>,
                      collectors::pluginBody<collectors::abi::DescriptorV3, 3> };
LONGPOLE_EXPORT collectors::abi::PluginV4 ncclProfiler_v4 {
    "longpole", &collectors::initV4, collectors::pluginBody<collectors::abi::DescriptorV4, 4>
};
LONGPOLE_EXPORT collectors::abi::PluginV5 ncclProfiler_v5 {
    "longpole", &collectors::init<5>, collectors::pluginBody<collectors::abi::DescriptorV5, 5>
};
LONGPOLE_EXPORT collectors::abi::PluginV5 ncclProfiler_v6 {
    "longpole", &collectors::init<6>, collectors::pluginBody<collectors::abi::DescriptorV5, 6>
};
LONGPOLE_EXPORT collectors::abi::PluginV5 ncclProfiler_v7 {
    "longpole", &collectors::init<7>, collectors::pluginBody<collectors::abi::DescriptorV5, 7>
};
}
