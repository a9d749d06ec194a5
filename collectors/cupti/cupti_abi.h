#pragma once

// The part of CUPTI's stable ABI that the collector uses, declared here so that it builds without
// the CUDA toolkit. Layouts are those that all libcupti from CUDA 12.0 to 13.x share: a record may
// be longer. tests/collectors/cupti/check_cupti_abi.cpp compares them with NVIDIA's headers.

#include <cstddef>
#include <cstdint>

namespace collectors::cupti {

using Result = int;
enum : Result {
    Success = 0,
    InsufficientPrivileges = 35,
    MultipleSubscribers = 39,
    VirtualizedWithoutPrivileges = 40,
    UnknownError = 999,
};

enum ActivityKind : std::uint32_t {
    ActivityMemcpy = 1,
    ActivityMemset = 2,
    ActivityDriver = 4,
    ActivityRuntime = 5,
    ActivityContext = 9,
    ActivityKernel = 10, ///< CONCURRENT_KERNEL; kind 3 would serialise kernels
    ActivityMemcpyPeer = 22, ///< MEMCPY2
    ActivityCudaEvent = 36,
    ActivitySynchronization = 38,
    ActivityExternalCorrelation = 39,
    ActivityGraphTrace = 51,
};

enum : std::uint32_t {
    FlushForced = 1,
    ThreadIdSystem = 1, ///< Linux tids
    InvalidStream = 0xFFFFFFFFU, ///< of a synchronisation that is about no stream
    ExternalCustom0 = 3, ///< kind of the ids that the collector pushes
};

enum CallbackDomain : std::uint32_t { DriverApi = 1, RuntimeApi = 2, Resource = 3 };

enum ResourceCallback : std::uint32_t {
    GraphNodeCreated = 13,
    GraphNodeDependencyCreated = 15,
    GraphNodeCloned = 20,
};

enum ApiCallback : std::uint32_t { // numbers never change
    CudaGetLastError = 10,
    CudaPeekAtLastError = 11,
    CudaGetDevice = 17,
    CudaLaunchKernel = 211,
    CudaLaunchKernelExC = 430,
    CuCtxGetCurrent = 304,
    CuLaunchKernel = 307,
    CuDevicePrimaryCtxGetState = 392,
    CuLaunchKernelEx = 652,
    CuKernelGetAttribute = 686,
};

// ---- activity records: how they begin ----

struct KernelActivity
{
    std::uint32_t kind;
    std::uint16_t cacheAndSharedConfig;
    std::uint16_t registersPerThread;
    std::uint32_t globalCache[2];
    std::uint64_t start, end, completed;
    std::uint32_t device, context, stream;
    std::int32_t grid[3], block[3];
    std::int32_t staticSharedBytes, dynamicSharedBytes;
    std::uint32_t localMemory[2];
    std::uint32_t correlation;
    std::int64_t gridId;
    const char *name; ///< mangled
    void *reserved;
    std::uint64_t queued, submitted;
    std::uint8_t launch[8];
    std::uint64_t graphNode;
    std::uint32_t sharedLimit;
    std::uint32_t graph;
};
static_assert(offsetof(KernelActivity, registersPerThread) == 6);
static_assert(offsetof(KernelActivity, start) == 16);
static_assert(offsetof(KernelActivity, device) == 40);
static_assert(offsetof(KernelActivity, grid) == 52);
static_assert(offsetof(KernelActivity, staticSharedBytes) == 76);
static_assert(offsetof(KernelActivity, correlation) == 92);
static_assert(offsetof(KernelActivity, name) == 104);
static_assert(offsetof(KernelActivity, graphNode) == 144);
static_assert(offsetof(KernelActivity, graph) == 156);

struct MemcpyActivity
{
    std::uint32_t kind;
    std::uint8_t copyKind, sourceKind, destinationKind, flags;
    std::uint64_t bytes, start, end;
    std::uint32_t device, context, stream;
    std::uint32_t correlation, runtimeCorrelation, padding;
    void *reserved;
    std::uint64_t graphNode;
    std::uint32_t graph, channel;
};
static_assert(offsetof(MemcpyActivity, correlation) == 44);
static_assert(offsetof(MemcpyActivity, graphNode) == 64);
static_assert(offsetof(MemcpyActivity, graph) == 72);

struct MemcpyPeerActivity
{
    std::uint32_t kind;
    std::uint8_t copyKind, sourceKind, destinationKind, flags;
    std::uint64_t bytes, start, end;
    std::uint32_t device, context, stream;
    std::uint32_t sourceDevice, sourceContext, destinationDevice, destinationContext;
    std::uint32_t correlation;
    void *reserved;
    std::uint64_t graphNode;
    std::uint32_t graph, channel;
};
static_assert(offsetof(MemcpyPeerActivity, destinationDevice) == 52);
static_assert(offsetof(MemcpyPeerActivity, correlation) == 60);
static_assert(offsetof(MemcpyPeerActivity, graphNode) == 72);
static_assert(offsetof(MemcpyPeerActivity, graph) == 80);

struct MemsetActivity
{
    std::uint32_t kind, value;
    std::uint64_t bytes, start, end;
    std::uint32_t device, context, stream, correlation;
    std::uint16_t flags, memoryKind;
    std::uint32_t padding;
    void *reserved;
    std::uint64_t graphNode;
    std::uint32_t graph, channel;
};
static_assert(offsetof(MemsetActivity, correlation) == 44);
static_assert(offsetof(MemsetActivity, graphNode) == 64);

struct ApiActivity
{
    std::uint32_t kind, callback;
    std::uint64_t start, end;
    std::uint32_t process, thread, correlation, returnValue;
};
static_assert(sizeof(ApiActivity) == 40);

struct SynchronizationActivity
{
    std::uint32_t kind, type; ///< numbered as SyncKind
    std::uint64_t start, end;
    std::uint32_t correlation, context, stream, event;
};
static_assert(sizeof(SynchronizationActivity) == 40);
/// Where libcupti 12.8 and later have the id of the recording that the event's waiter waits for.
constexpr std::size_t SynchronizationEventSyncId = 40;

struct CudaEventActivity
{
    std::uint32_t kind, correlation, context, stream, event, padding;
};
static_assert(sizeof(CudaEventActivity) == 24);
constexpr std::size_t CudaEventEventSyncId = 48; ///< as SynchronizationEventSyncId

struct ExternalCorrelationActivity
{
    std::uint32_t kind, externalKind;
    std::uint64_t externalId;
    std::uint32_t correlation, reserved;
};
static_assert(offsetof(ExternalCorrelationActivity, correlation) == 16);

struct GraphTraceActivity
{
    std::uint32_t kind, correlation;
    std::uint64_t start, end;
    std::uint32_t device, graph, context, stream;
};
static_assert(sizeof(GraphTraceActivity) == 40);

struct ContextActivity
{
    std::uint32_t kind, context, device;
};

// ---- callbacks ----

struct SubscriberParams
{
    std::size_t structSize;
    const char *subscriberName;
    char *oldSubscriberName; ///< filled in where somebody else has subscribed
    std::size_t oldSubscriberSize; ///< at least 64
};
static_assert(sizeof(SubscriberParams) == 32);

struct ResourceData
{
    void *context, *handle;
    const void *descriptor; ///< GraphData for the callbacks about graphs
};

struct GraphData
{
    void *graph, *originalGraph;
    void *node, *originalNode;
    int nodeType;
    void *dependency; ///< the node that waits for `node`
    void *graphExec;
};
static_assert(offsetof(GraphData, dependency) == 40);

using Subscriber = void *;
using Callback = void (*)(void *user, std::uint32_t domain, std::uint32_t id, const void *data);
using BufferRequested = void (*)(std::uint8_t **buffer, std::size_t *size, std::size_t *maximum);
using BufferCompleted = void (*)(void *context, std::uint32_t stream, std::uint8_t *buffer,
                                 std::size_t size, std::size_t validSize);

} // namespace collectors::cupti
