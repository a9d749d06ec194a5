#include "tests/collectors/nccl/loaded_plugin.h"

#include <dlfcn.h>
#include <unistd.h>

#include <stdexcept>

namespace tests {

namespace {

    using Start = int (*)(void *, void **, void *);
    using Stop = int (*)(void *);
    using State = int (*)(void *, int, void *);
    using InitOld = int (*)(void **, int *);
    using InitV4 = int (*)(void **, int *, const char *, std::uint64_t, int, int, int, void *);
    using InitV5 = int (*)(void **, std::uint64_t, int *, const char *, int, int, int, void *);

    /// Of version 7: any number that the program gives a call.
    constexpr std::uint64_t ProgramsTag = 0x1234567812345678;

    enum Offset : std::size_t {
        InitAt = 8,
        StartAt = 16,
        StopAt = 24,
        StateAt = 32,
        FinalizeAt = 40,
    };

    template <class Function>
    Function functionAt(const unsigned char *plugin, std::size_t offset)
    {
        Function function = nullptr;
        std::memcpy(&function, plugin + offset, sizeof(function));
        return function;
    }

} // namespace

LoadedPlugin::LoadedPlugin(const std::string &path, int version)
    : m_version(version)
    , m_library(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL))
{
    if (m_library == nullptr)
        throw std::runtime_error(dlerror());
    const std::string symbol = "ncclProfiler_v" + std::to_string(version);
    m_plugin = static_cast<unsigned char *>(dlsym(m_library, symbol.c_str()));
    if (m_plugin == nullptr)
        throw std::runtime_error("no symbol " + symbol);
}

LoadedPlugin::~LoadedPlugin()
{
    dlclose(m_library);
}

void *LoadedPlugin::init(std::uint64_t communicator, const char *name, int rankCount, int rank)
{
    void *context = nullptr;
    if (m_version >= 5)
        functionAt<InitV5>(m_plugin, InitAt)(&context, communicator, &m_mask, name, rankCount,
                                             rankCount, rank, nullptr);
    else if (m_version == 4)
        functionAt<InitV4>(m_plugin, InitAt)(&context, &m_mask, name, communicator, rankCount,
                                             rankCount, rank, nullptr);
    else
        functionAt<InitOld>(m_plugin, InitAt)(&context, &m_mask);
    return context;
}

void LoadedPlugin::finalize(void *context) const
{
    functionAt<Stop>(m_plugin, FinalizeAt)(context);
}

void LoadedPlugin::stop(void *handle) const
{
    functionAt<Stop>(m_plugin, StopAt)(handle);
}

void LoadedPlugin::state(void *handle, int state, std::uint64_t value) const
{
    if (m_version < 4) // there are only arguments of proxy operations
        return stateWithoutArguments(handle, state);
    functionAt<State>(m_plugin, StateAt)(handle, state, &value);
}

void LoadedPlugin::stateWithoutArguments(void *handle, int state) const
{
    functionAt<State>(m_plugin, StateAt)(handle, state, nullptr);
}

void *LoadedPlugin::start(void *context, DescriptorBytes descriptor) const
{
    void *handle = reinterpret_cast<void *>(0xdead); // stale, as NCCL's own are
    functionAt<Start>(m_plugin, StartAt)(context, &handle, descriptor.data());
    return handle;
}

DescriptorBytes LoadedPlugin::head(std::uint64_t type, void *parent, int rank) const
{
    DescriptorBytes bytes;
    if (m_version >= 5) {
        bytes.put(0, type);
    } else {
        bytes.put(0, std::uint64_t { 0xffffffffffffff00 }); // what follows the one byte is anything
        bytes.put(0, static_cast<std::uint8_t>(type));
    }
    return bytes.put(8, parent).put(16, rank);
}

void *LoadedPlugin::startGroup(void *context) const
{
    return start(context, head(0x1, nullptr, 0));
}

void *LoadedPlugin::startApi(void *context, std::uint64_t type, const char *function) const
{
    DescriptorBytes bytes = head(type, nullptr, 0).put(24, function);
    if (m_version >= 7)
        bytes.put(72, ProgramsTag);
    return start(context, bytes);
}

void *LoadedPlugin::startAllReduce(void *context, void *parent, int rank,
                                   std::uint64_t communicator, const CollectiveCall &call) const
{
    DescriptorBytes bytes = head(0x2, parent, rank);
    const char *function = "AllReduce", *datatype = "ncclFloat32", *algorithm = "RING",
               *protocol = "SIMPLE", *name = "old", *variant = "AllReduce_RING";
    if (m_version >= 4) {
        bytes.put(24, call.sequence).put(32, function).put(56, call.count).put(64, 0);
        bytes.put(72, datatype).put(80, call.channels).put(88, algorithm).put(96, protocol);
        if (m_version >= 7) // a variant of the kernel, and that it is of symmetric memory
            bytes.put(112, variant).put(120, true).put(128, ProgramsTag);
        return start(context, bytes);
    }
    bytes.put(24, name).put(32, communicator).put(40, call.sequence).put(72, call.count);
    if (m_version == 1) {
        bytes.put(48, std::uint8_t { 4 }).put(84, std::uint8_t { 7 }).put(104, call.channels);
        bytes.put(106, std::uint8_t { 1 }).put(107, std::uint8_t { 2 });
        return start(context, bytes);
    }
    const std::size_t shift = m_version == 2 ? 8 : 0; // trafficBytes
    bytes.put(48, function).put(88, datatype).put(96 + shift, call.channels);
    bytes.put(104 + shift, algorithm).put(112 + shift, protocol);
    return start(context, bytes);
}

void *LoadedPlugin::startSend(void *context, void *parent, int rank, std::uint64_t communicator,
                              const SendCall &call) const
{
    DescriptorBytes bytes = head(0x4, parent, rank);
    const char *function = call.isSend ? "Send" : "Recv", *datatype = "ncclFloat32", *name = "old";
    if (m_version >= 4) {
        bytes.put(24, function).put(40, datatype).put(48, call.count).put(56, call.peer);
        bytes.put(60, call.channels);
        if (m_version >= 7)
            bytes.put(72, ProgramsTag);
        return start(context, bytes);
    }
    bytes.put(24, name).put(32, communicator).put(64, call.count).put(72, call.peer);
    if (m_version == 1)
        bytes.put(40, static_cast<std::uint8_t>(call.isSend ? 6 : 7)).put(56, std::uint8_t { 7 });
    else
        bytes.put(40, function).put(56, datatype);
    return start(context, bytes);
}

void *LoadedPlugin::startProxyOp(void *context, void *parent, int rank,
                                 const ProxyOpCall &call) const
{
    DescriptorBytes bytes = head(0x8, parent, rank);
    bytes.put(24, call.processId != 0 ? call.processId : getpid()).put(28, call.channel);
    bytes.put(32, call.peer).put(36, call.steps).put(40, 4194304).put(44, call.isSend ? 1 : 0);
    return start(context, bytes);
}

void *LoadedPlugin::startProxyStep(void *context, void *parent, int rank, int step) const
{
    return start(context, head(0x10, parent, rank).put(24, step));
}

void *LoadedPlugin::startKernelChannel(void *context, void *parent, int rank, std::uint8_t channel,
                                       std::uint64_t gpuTimeNs) const
{
    return start(context, head(0x40, parent, rank).put(24, channel).put(32, gpuTimeNs));
}

void *LoadedPlugin::startKernelPhase(void *context, void *parent, int rank, std::uint8_t channel,
                                     std::uint8_t phase, std::uint64_t gpuTimeNs) const
{
    const char *name = "compute";
    return start(context,
                 head(0x8000, parent, rank)
                     .put(24, channel)
                     .put(25, phase)
                     .put(32, name)
                     .put(40, gpuTimeNs));
}

} // namespace tests
