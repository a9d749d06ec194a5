#include "collectors/nccl/profiler_event.h"

#include <array>
#include <cstring>
#include <string_view>

namespace collectors {

namespace {

    // Version 1 gives numbers (NCCL 2.23).
    constexpr std::array FunctionNames = { "Broadcast", "Reduce",   "AllGather", "ReduceScatter",
                                           "AllReduce", "SendRecv", "Send",      "Recv" };
    constexpr std::array DatatypeNames
        = { "ncclInt8",    "ncclUint8",    "ncclInt32",      "ncclUint32",
            "ncclInt64",   "ncclUint64",   "ncclFloat16",    "ncclFloat32",
            "ncclFloat64", "ncclBfloat16", "ncclFloat8e4m3", "ncclFloat8e5m2" };
    constexpr std::array AlgorithmNames
        = { "TREE", "RING", "COLLNET_DIRECT", "COLLNET_CHAIN", "NVLS", "NVLS_TREE", "PAT" };
    constexpr std::array ProtocolNames = { "LL", "LL128", "SIMPLE" };

    template <std::size_t Size>
    const char *nameOf(const std::array<const char *, Size> &names, std::uint8_t number)
    {
        return number < Size ? names[number] : "unknown";
    }

    template <class Descriptor>
    ProfilerEvent beginningOf(const Descriptor &descriptor)
    {
        ProfilerEvent event;
        event.type = descriptor.type;
        event.parent = descriptor.parent;
        event.rank = descriptor.rank;
        return event;
    }

    template <class Members>
    void addTexts(ProfilerEvent &event, const Members &members)
    {
        event.function = members.function;
        event.datatype = members.datatype;
        event.count = members.count;
    }

    template <class Members>
    void addCollective(ProfilerEvent &event, const Members &members)
    {
        addTexts(event, members);
        event.sequence = members.sequence;
        event.root = members.root;
        event.algorithm = members.algorithm;
        event.protocol = members.protocol;
        event.channelCount = members.channelCount;
    }

    template <class Members>
    void addCommunicator(ProfilerEvent &event, const Members &members)
    {
        event.communicator = members.communicator;
        event.communicatorName = members.name;
    }

    void addPointToPoint(ProfilerEvent &event, const abi::P2pMembersV3 &members)
    {
        addCommunicator(event, members);
        addTexts(event, members);
        event.peer = members.peer;
    }

    void addProxyOp(ProfilerEvent &event, const abi::ProxyOpMembers &members)
    {
        event.processId = members.pid;
        event.channel = members.channelId;
        event.peer = members.peer;
        event.stepCount = static_cast<std::uint32_t>(members.stepCount);
        event.isSend = members.isSend != 0;
    }

    /// ProxyOp and ProxyStep are equal in all versions.
    template <class Descriptor>
    void addNetwork(ProfilerEvent &event, const Descriptor &descriptor)
    {
        if (event.type == abi::ProxyOp)
            addProxyOp(event, descriptor.proxyOp);
        else if (event.type == abi::ProxyStep)
            event.step = static_cast<std::uint32_t>(descriptor.step);
    }

    void addKernelChannel(ProfilerEvent &event, const abi::KernelChMembers &members)
    {
        event.channel = members.channelId;
        event.gpuTimeNs = members.gpuTimeNs;
    }

} // namespace

ProfilerEvent profilerEvent(const abi::DescriptorV1 &descriptor) noexcept
{
    ProfilerEvent event = beginningOf(descriptor);
    if (event.type == abi::Coll) {
        const abi::CollMembersV1 &coll = descriptor.coll;
        addCommunicator(event, coll);
        event.function = nameOf(FunctionNames, coll.function);
        event.datatype = nameOf(DatatypeNames, coll.datatype);
        event.algorithm = nameOf(AlgorithmNames, coll.algorithm);
        event.protocol = nameOf(ProtocolNames, coll.protocol);
        event.count = coll.count;
        event.sequence = coll.sequence;
        event.root = coll.root;
        event.channelCount = coll.channelCount;
    } else if (event.type == abi::P2p) {
        const abi::P2pMembersV1 &p2p = descriptor.p2p;
        addCommunicator(event, p2p);
        event.function = nameOf(FunctionNames, p2p.function);
        event.datatype = nameOf(DatatypeNames, p2p.datatype);
        event.count = p2p.count;
        event.peer = p2p.peer;
    } else {
        addNetwork(event, descriptor);
    }
    return event;
}

ProfilerEvent profilerEvent(const abi::DescriptorV2 &descriptor) noexcept
{
    ProfilerEvent event = beginningOf(descriptor);
    if (event.type == abi::Coll) {
        addCommunicator(event, descriptor.coll);
        addCollective(event, descriptor.coll);
    } else if (event.type == abi::P2p) {
        addPointToPoint(event, descriptor.p2p);
    } else {
        addNetwork(event, descriptor);
    }
    return event;
}

ProfilerEvent profilerEvent(const abi::DescriptorV3 &descriptor) noexcept
{
    ProfilerEvent event = beginningOf(descriptor);
    if (event.type == abi::Coll) {
        addCommunicator(event, descriptor.coll);
        addCollective(event, descriptor.coll.rest);
    } else if (event.type == abi::P2p) {
        addPointToPoint(event, descriptor.p2p);
    } else if (event.type == abi::KernelCh) {
        event.channel = descriptor.kernelChannel;
    } else {
        addNetwork(event, descriptor);
    }
    return event;
}

ProfilerEvent profilerEvent(const abi::DescriptorV4 &descriptor) noexcept
{
    ProfilerEvent event = beginningOf(descriptor);
    if (event.type == abi::Coll) {
        addCollective(event, descriptor.coll);
        event.kernelChannelCount = event.channelCount;
    } else if (event.type == abi::P2p) {
        addTexts(event, descriptor.p2p);
        event.peer = descriptor.p2p.peer;
    } else if (event.type == abi::KernelCh) {
        addKernelChannel(event, descriptor.kernelCh);
    } else {
        addNetwork(event, descriptor);
    }
    return event;
}

ProfilerEvent profilerEvent(const abi::DescriptorV5 &descriptor) noexcept
{
    ProfilerEvent event = beginningOf(descriptor);
    switch (event.type) {
    case abi::Coll:
        addCollective(event, descriptor.coll);
        event.kernelChannelCount = event.channelCount;
        break;
    case abi::CeColl: // has no channels, and other members from there on
        addTexts(event, descriptor.coll);
        event.sequence = descriptor.coll.sequence;
        event.root = descriptor.coll.root;
        event.algorithm = "CE";
        break;
    case abi::P2p:
        addTexts(event, descriptor.p2p);
        event.peer = descriptor.p2p.peer;
        event.channelCount = descriptor.p2p.channelCount;
        event.kernelChannelCount = event.channelCount;
        break;
    case abi::KernelCh:
        addKernelChannel(event, descriptor.kernelCh);
        break;
    case abi::CollApi:
    case abi::P2pApi:
        event.function = descriptor.api.function;
        break;
    default:
        addNetwork(event, descriptor);
    }
    return event;
}

std::uint64_t bytesOfElements(const char *datatype, std::uint64_t count) noexcept
{
    const std::string_view type = datatype != nullptr ? datatype : "";
    std::uint64_t bytes = 0;
    if (type.ends_with("64"))
        bytes = 8;
    else if (type.ends_with("32"))
        bytes = 4;
    else if (type.ends_with("16"))
        bytes = 2;
    else if (type.ends_with("nt8") || type.starts_with("ncclFloat8"))
        bytes = 1;
    return count <= UINT64_MAX / 8 ? bytes * count : 0;
}

} // namespace collectors
