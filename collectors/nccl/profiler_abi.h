#pragma once

#include <cstddef>
#include <cstdint>

/// What NCCL and a profiler plug-in exchange, versions 1 to 7 of the interface, as NCCL 2.23 to
/// 2.31 lay it out in memory (LP64). Own declarations of the members that are read, so that no NCCL
/// header is needed; tests/collectors/nccl has a second, independent set.
namespace collectors::abi {

enum Result { Success = 0 };

/// Descriptor types, and bits of the mask of wanted events.
enum EventType : std::uint64_t {
    Group = 0x1,
    Coll = 0x2,
    P2p = 0x4,
    ProxyOp = 0x8,
    ProxyStep = 0x10,
    ProxyCtrl = 0x20,
    KernelCh = 0x40,
    NetPlugin = 0x80,
    GroupApi = 0x100,
    CollApi = 0x200,
    P2pApi = 0x400,
    KernelLaunch = 0x800,
    CeColl = 0x1000,
};

enum State {
    SendGpuWait = 8,
    SendWait = 9, ///< on the wire from here to the stop
    RecvWait = 10,
    RecvFlushWait = 11, ///< the data is there
    RecvGpuWait = 12,
    OpInProgress = 19,
    SendPeerWait = 20,
    KernelChStop = 22,
};

using Logger = void (*)(int level, unsigned long subsystem, const char *file, int line,
                        const char *format, ...);

/// Equal in all versions.
struct ProxyOpMembers
{
    int pid;
    std::uint8_t channelId;
    int peer, stepCount, chunkSize, isSend;
};

struct KernelChMembers
{
    std::uint8_t channelId;
    std::uint64_t gpuTimeNs; ///< from version 4 on
};

struct CollMembersV4
{
    std::uint64_t sequence;
    const char *function;
    const void *sendBuffer;
    void *receiveBuffer;
    std::size_t count;
    int root;
    const char *datatype;
    std::uint8_t channelCount, warpCount;
    const char *algorithm, *protocol;
};

struct P2pMembersV4
{
    const char *function;
    void *buffer;
    const char *datatype;
    std::size_t count;
    int peer;
    std::uint8_t channelCount; ///< set from version 5 on
};

struct CollMembersV3
{
    const char *name;
    std::uint64_t communicator;
    CollMembersV4 rest; ///< of the channels: the most it may have
};

struct P2pMembersV3
{
    const char *name;
    std::uint64_t communicator;
    const char *function;
    void *buffer;
    const char *datatype;
    std::size_t count;
    int peer;
};

struct CollMembersV2
{
    const char *name;
    std::uint64_t communicator, sequence;
    const char *function;
    const void *sendBuffer;
    void *receiveBuffer;
    std::size_t count;
    int root;
    const char *datatype;
    std::size_t trafficBytes;
    std::uint8_t channelCount, warpCount;
    const char *algorithm, *protocol;
};

struct CollMembersV1
{
    const char *name;
    std::uint64_t communicator, sequence;
    std::uint8_t function; ///< numbers instead of texts in this version
    const void *sendBuffer;
    void *receiveBuffer;
    std::size_t count;
    int root;
    std::uint8_t datatype;
    std::uint32_t reduction;
    std::size_t trafficBytes;
    std::uint8_t channelCount, warpCount, algorithm, protocol;
    int isCollnet, isNvls;
};

struct P2pMembersV1
{
    const char *name;
    std::uint64_t communicator;
    std::uint8_t function;
    void *buffer;
    std::uint8_t datatype;
    std::size_t count;
    int peer;
};

/// collApi of version 5; p2pApi begins alike.
struct ApiMembers
{
    const char *function;
    std::size_t count;
    const char *datatype;
};

struct DescriptorV1
{
    std::uint8_t type;
    void *parent;
    int rank;
    union {
        CollMembersV1 coll;
        P2pMembersV1 p2p;
        ProxyOpMembers proxyOp;
        int step;
    };
};

struct DescriptorV2
{
    std::uint8_t type;
    void *parent;
    int rank;
    union {
        CollMembersV2 coll;
        P2pMembersV3 p2p;
        ProxyOpMembers proxyOp;
        int step;
    };
};

struct DescriptorV3
{
    std::uint8_t type;
    void *parent;
    int rank;
    union {
        CollMembersV3 coll;
        P2pMembersV3 p2p;
        ProxyOpMembers proxyOp;
        int step;
        std::uint8_t kernelChannel;
    };
};

struct DescriptorV4
{
    std::uint8_t type;
    void *parent;
    int rank;
    union {
        CollMembersV4 coll;
        P2pMembersV4 p2p;
        ProxyOpMembers proxyOp;
        int step;
        KernelChMembers kernelCh;
    };
};

/// Of version 6, too, whose ceColl begins as coll. Of version 7, too, which is longer: it has
/// behind the members of coll (from 112 on), p2p, ceColl, collApi and p2pApi what is not read here
/// (the kernel's variant, the program's own tag, which the first NCCL with version 7 lacks), and
/// kernel phases (0x8000), which are not asked for.
struct DescriptorV5
{
    std::uint64_t type;
    void *parent;
    int rank;
    union {
        CollMembersV4 coll; ///< and at 104 the group
        P2pMembersV4 p2p; ///< and at 64 the group
        ProxyOpMembers proxyOp;
        int step;
        KernelChMembers kernelCh;
        ApiMembers api;
        unsigned char room[88];
    };
};

/// Arguments of a state. Their first member is what is read, in every version: bytes on the wire
/// (versions 1 to 3 call it proxyOp.transSize), or a GPU time.
union StateArguments {
    std::size_t transferBytes;
    std::uint64_t gpuTimeNs;
};

template <class Descriptor>
struct PluginBody
{
    int (*startEvent)(void *context, void **handle, Descriptor *descriptor);
    int (*stopEvent)(void *handle);
    int (*recordEventState)(void *handle, int state, StateArguments *arguments);
    int (*finalize)(void *context);
};

/// Versions 1 to 3.
template <class Descriptor>
struct PluginWithoutCommunicator
{
    const char *name;
    int (*init)(void **context, int *mask);
    PluginBody<Descriptor> body;
};

struct PluginV4
{
    const char *name;
    int (*init)(void **context, int *mask, const char *communicatorName, std::uint64_t communicator,
                int nodeCount, int rankCount, int rank, Logger logger);
    PluginBody<DescriptorV4> body;
};

/// And versions 6 and 7.
struct PluginV5
{
    const char *name;
    int (*init)(void **context, std::uint64_t communicator, int *mask, const char *communicatorName,
                int nodeCount, int rankCount, int rank, Logger logger);
    PluginBody<DescriptorV5> body;
};

static_assert(sizeof(DescriptorV1) == 120 && sizeof(DescriptorV2) == 128);
static_assert(sizeof(DescriptorV3) == 120 && sizeof(DescriptorV4) == 104);
static_assert(sizeof(DescriptorV5) == 112);
static_assert(offsetof(DescriptorV1, parent) == 8 && offsetof(DescriptorV5, parent) == 8);
static_assert(offsetof(DescriptorV1, rank) == 16 && offsetof(DescriptorV5, rank) == 16);
static_assert(offsetof(DescriptorV1, coll) == 24 && offsetof(DescriptorV5, coll) == 24);

// Offsets in a union that begins at 24.
static_assert(offsetof(CollMembersV1, communicator) == 32 - 24);
static_assert(offsetof(CollMembersV1, sequence) == 40 - 24);
static_assert(offsetof(CollMembersV1, function) == 48 - 24);
static_assert(offsetof(CollMembersV1, count) == 72 - 24);
static_assert(offsetof(CollMembersV1, root) == 80 - 24);
static_assert(offsetof(CollMembersV1, datatype) == 84 - 24);
static_assert(offsetof(CollMembersV1, channelCount) == 104 - 24);
static_assert(offsetof(CollMembersV1, algorithm) == 106 - 24);
static_assert(offsetof(CollMembersV1, isCollnet) == 108 - 24);
static_assert(offsetof(P2pMembersV1, count) == 64 - 24 && offsetof(P2pMembersV1, peer) == 72 - 24);
static_assert(offsetof(CollMembersV2, function) == 48 - 24);
static_assert(offsetof(CollMembersV2, datatype) == 88 - 24);
static_assert(offsetof(CollMembersV2, channelCount) == 104 - 24);
static_assert(offsetof(CollMembersV2, algorithm) == 112 - 24);
static_assert(offsetof(CollMembersV3, rest) == 40 - 24);
static_assert(offsetof(P2pMembersV3, function) == 40 - 24);
static_assert(offsetof(P2pMembersV3, count) == 64 - 24 && offsetof(P2pMembersV3, peer) == 72 - 24);
static_assert(offsetof(CollMembersV4, function) == 32 - 24);
static_assert(offsetof(CollMembersV4, count) == 56 - 24);
static_assert(offsetof(CollMembersV4, root) == 64 - 24);
static_assert(offsetof(CollMembersV4, datatype) == 72 - 24);
static_assert(offsetof(CollMembersV4, channelCount) == 80 - 24);
static_assert(offsetof(CollMembersV4, algorithm) == 88 - 24);
static_assert(offsetof(CollMembersV4, protocol) == 96 - 24);
static_assert(offsetof(P2pMembersV4, datatype) == 40 - 24);
static_assert(offsetof(P2pMembersV4, count) == 48 - 24 && offsetof(P2pMembersV4, peer) == 56 - 24);
static_assert(offsetof(P2pMembersV4, channelCount) == 60 - 24);
static_assert(offsetof(ProxyOpMembers, channelId) == 28 - 24);
static_assert(offsetof(ProxyOpMembers, peer) == 32 - 24);
static_assert(offsetof(ProxyOpMembers, isSend) == 44 - 24);
static_assert(offsetof(KernelChMembers, gpuTimeNs) == 32 - 24);
static_assert(sizeof(PluginV5) == 48 && sizeof(PluginWithoutCommunicator<DescriptorV1>) == 48);

} // namespace collectors::abi
