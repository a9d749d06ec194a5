// Compares the collector's own declarations with NVIDIA's headers: compiled where CMake finds them,
// and never run.
#include "collectors/cupti/cupti_abi.h"
#include "collectors/cupti/nvtx_abi.h"

#include <cupti.h>
#include <nvtx3/nvToolsExt.h>

#include <type_traits>

using namespace collectors;

#define SAME(own, field, theirs, theirField)                                                       \
    static_assert(offsetof(own, field) == offsetof(theirs, theirField)                             \
                  && sizeof(own::field) == sizeof(theirs::theirField))

SAME(cupti::KernelActivity, registersPerThread, CUpti_ActivityKernel10, registersPerThread);
SAME(cupti::KernelActivity, start, CUpti_ActivityKernel10, start);
SAME(cupti::KernelActivity, end, CUpti_ActivityKernel10, end);
SAME(cupti::KernelActivity, device, CUpti_ActivityKernel10, deviceId);
SAME(cupti::KernelActivity, context, CUpti_ActivityKernel10, contextId);
SAME(cupti::KernelActivity, stream, CUpti_ActivityKernel10, streamId);
SAME(cupti::KernelActivity, grid[0], CUpti_ActivityKernel10, gridX);
SAME(cupti::KernelActivity, block[0], CUpti_ActivityKernel10, blockX);
SAME(cupti::KernelActivity, staticSharedBytes, CUpti_ActivityKernel10, staticSharedMemory);
SAME(cupti::KernelActivity, dynamicSharedBytes, CUpti_ActivityKernel10, dynamicSharedMemory);
SAME(cupti::KernelActivity, correlation, CUpti_ActivityKernel10, correlationId);
SAME(cupti::KernelActivity, name, CUpti_ActivityKernel10, name);
SAME(cupti::KernelActivity, graphNode, CUpti_ActivityKernel10, graphNodeId);
SAME(cupti::KernelActivity, graph, CUpti_ActivityKernel10, graphId);

SAME(cupti::MemcpyActivity, copyKind, CUpti_ActivityMemcpy6, copyKind);
SAME(cupti::MemcpyActivity, bytes, CUpti_ActivityMemcpy6, bytes);
SAME(cupti::MemcpyActivity, start, CUpti_ActivityMemcpy6, start);
SAME(cupti::MemcpyActivity, device, CUpti_ActivityMemcpy6, deviceId);
SAME(cupti::MemcpyActivity, stream, CUpti_ActivityMemcpy6, streamId);
SAME(cupti::MemcpyActivity, correlation, CUpti_ActivityMemcpy6, correlationId);
SAME(cupti::MemcpyActivity, graphNode, CUpti_ActivityMemcpy6, graphNodeId);
SAME(cupti::MemcpyActivity, graph, CUpti_ActivityMemcpy6, graphId);

SAME(cupti::MemcpyPeerActivity, bytes, CUpti_ActivityMemcpyPtoP4, bytes);
SAME(cupti::MemcpyPeerActivity, start, CUpti_ActivityMemcpyPtoP4, start);
SAME(cupti::MemcpyPeerActivity, device, CUpti_ActivityMemcpyPtoP4, deviceId);
SAME(cupti::MemcpyPeerActivity, stream, CUpti_ActivityMemcpyPtoP4, streamId);
SAME(cupti::MemcpyPeerActivity, destinationDevice, CUpti_ActivityMemcpyPtoP4, dstDeviceId);
SAME(cupti::MemcpyPeerActivity, correlation, CUpti_ActivityMemcpyPtoP4, correlationId);
SAME(cupti::MemcpyPeerActivity, graphNode, CUpti_ActivityMemcpyPtoP4, graphNodeId);
SAME(cupti::MemcpyPeerActivity, graph, CUpti_ActivityMemcpyPtoP4, graphId);

SAME(cupti::MemsetActivity, value, CUpti_ActivityMemset4, value);
SAME(cupti::MemsetActivity, bytes, CUpti_ActivityMemset4, bytes);
SAME(cupti::MemsetActivity, start, CUpti_ActivityMemset4, start);
SAME(cupti::MemsetActivity, device, CUpti_ActivityMemset4, deviceId);
SAME(cupti::MemsetActivity, stream, CUpti_ActivityMemset4, streamId);
SAME(cupti::MemsetActivity, correlation, CUpti_ActivityMemset4, correlationId);
SAME(cupti::MemsetActivity, graphNode, CUpti_ActivityMemset4, graphNodeId);

SAME(cupti::ApiActivity, callback, CUpti_ActivityAPI, cbid);
SAME(cupti::ApiActivity, start, CUpti_ActivityAPI, start);
SAME(cupti::ApiActivity, thread, CUpti_ActivityAPI, threadId);
SAME(cupti::ApiActivity, correlation, CUpti_ActivityAPI, correlationId);
SAME(cupti::ApiActivity, returnValue, CUpti_ActivityAPI, returnValue);

SAME(cupti::SynchronizationActivity, type, CUpti_ActivitySynchronization2, type);
SAME(cupti::SynchronizationActivity, start, CUpti_ActivitySynchronization2, start);
SAME(cupti::SynchronizationActivity, correlation, CUpti_ActivitySynchronization2, correlationId);
SAME(cupti::SynchronizationActivity, context, CUpti_ActivitySynchronization2, contextId);
SAME(cupti::SynchronizationActivity, stream, CUpti_ActivitySynchronization2, streamId);
SAME(cupti::SynchronizationActivity, event, CUpti_ActivitySynchronization2, cudaEventId);
static_assert(cupti::SynchronizationEventSyncId
              == offsetof(CUpti_ActivitySynchronization2, cudaEventSyncId));

SAME(cupti::CudaEventActivity, correlation, CUpti_ActivityCudaEvent2, correlationId);
SAME(cupti::CudaEventActivity, context, CUpti_ActivityCudaEvent2, contextId);
SAME(cupti::CudaEventActivity, stream, CUpti_ActivityCudaEvent2, streamId);
SAME(cupti::CudaEventActivity, event, CUpti_ActivityCudaEvent2, eventId);
static_assert(cupti::CudaEventEventSyncId == offsetof(CUpti_ActivityCudaEvent2, cudaEventSyncId));

SAME(cupti::ExternalCorrelationActivity, externalKind, CUpti_ActivityExternalCorrelation,
     externalKind);
SAME(cupti::ExternalCorrelationActivity, externalId, CUpti_ActivityExternalCorrelation, externalId);
SAME(cupti::ExternalCorrelationActivity, correlation, CUpti_ActivityExternalCorrelation,
     correlationId);

SAME(cupti::GraphTraceActivity, correlation, CUpti_ActivityGraphTrace2, correlationId);
SAME(cupti::GraphTraceActivity, start, CUpti_ActivityGraphTrace2, start);
SAME(cupti::GraphTraceActivity, device, CUpti_ActivityGraphTrace2, deviceId);
SAME(cupti::GraphTraceActivity, graph, CUpti_ActivityGraphTrace2, graphId);
SAME(cupti::GraphTraceActivity, stream, CUpti_ActivityGraphTrace2, streamId);

SAME(cupti::ContextActivity, context, CUpti_ActivityContext3, contextId);
SAME(cupti::ContextActivity, device, CUpti_ActivityContext3, deviceId);

SAME(cupti::SubscriberParams, subscriberName, CUpti_SubscriberParams, subscriberName);
SAME(cupti::SubscriberParams, oldSubscriberName, CUpti_SubscriberParams, oldSubscriberName);
SAME(cupti::SubscriberParams, oldSubscriberSize, CUpti_SubscriberParams, oldSubscriberSize);
SAME(cupti::ResourceData, descriptor, CUpti_ResourceData, resourceDescriptor);
SAME(cupti::GraphData, node, CUpti_GraphData, node);
SAME(cupti::GraphData, originalNode, CUpti_GraphData, originalNode);
SAME(cupti::GraphData, dependency, CUpti_GraphData, dependency);

static_assert(cupti::ActivityMemcpy == CUPTI_ACTIVITY_KIND_MEMCPY);
static_assert(cupti::ActivityMemset == CUPTI_ACTIVITY_KIND_MEMSET);
static_assert(cupti::ActivityDriver == CUPTI_ACTIVITY_KIND_DRIVER);
static_assert(cupti::ActivityRuntime == CUPTI_ACTIVITY_KIND_RUNTIME);
static_assert(cupti::ActivityContext == CUPTI_ACTIVITY_KIND_CONTEXT);
static_assert(cupti::ActivityKernel == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
static_assert(cupti::ActivityMemcpyPeer == CUPTI_ACTIVITY_KIND_MEMCPY2);
static_assert(cupti::ActivityCudaEvent == CUPTI_ACTIVITY_KIND_CUDA_EVENT);
static_assert(cupti::ActivitySynchronization == CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
static_assert(cupti::ActivityExternalCorrelation == CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
static_assert(cupti::ActivityGraphTrace == CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
static_assert(cupti::FlushForced == CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
static_assert(cupti::ThreadIdSystem == CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
static_assert(cupti::InvalidStream == CUPTI_SYNCHRONIZATION_INVALID_VALUE);
static_assert(cupti::ExternalCustom0 == CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0);
static_assert(cupti::DriverApi == CUPTI_CB_DOMAIN_DRIVER_API);
static_assert(cupti::RuntimeApi == CUPTI_CB_DOMAIN_RUNTIME_API);
static_assert(cupti::Resource == CUPTI_CB_DOMAIN_RESOURCE);
static_assert(cupti::GraphNodeCreated == CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED);
static_assert(cupti::GraphNodeDependencyCreated
              == CUPTI_CBID_RESOURCE_GRAPHNODE_DEPENDENCY_CREATED);
static_assert(cupti::GraphNodeCloned == CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED);
static_assert(cupti::CudaGetLastError == CUPTI_RUNTIME_TRACE_CBID_cudaGetLastError_v3020);
static_assert(cupti::CudaPeekAtLastError == CUPTI_RUNTIME_TRACE_CBID_cudaPeekAtLastError_v3020);
static_assert(cupti::CudaGetDevice == CUPTI_RUNTIME_TRACE_CBID_cudaGetDevice_v3020);
static_assert(cupti::CudaLaunchKernel == CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000);
static_assert(cupti::CudaLaunchKernelExC == CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060);
static_assert(cupti::CuCtxGetCurrent == CUPTI_DRIVER_TRACE_CBID_cuCtxGetCurrent);
static_assert(cupti::CuLaunchKernel == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel);
static_assert(cupti::CuDevicePrimaryCtxGetState
              == CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxGetState);
static_assert(cupti::CuLaunchKernelEx == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx);
static_assert(cupti::CuKernelGetAttribute == CUPTI_DRIVER_TRACE_CBID_cuKernelGetAttribute);
static_assert(cupti::MultipleSubscribers == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
static_assert(cupti::InsufficientPrivileges == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
static_assert(cupti::VirtualizedWithoutPrivileges
              == CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES);
static_assert(cupti::UnknownError == CUPTI_ERROR_UNKNOWN);
static_assert(std::is_same_v<cupti::BufferRequested, CUpti_BuffersCallbackRequestFunc>);

SAME(nvtx::EventAttributes, size, nvtxEventAttributes_t, size);
SAME(nvtx::EventAttributes, colorType, nvtxEventAttributes_t, colorType);
SAME(nvtx::EventAttributes, color, nvtxEventAttributes_t, color);
SAME(nvtx::EventAttributes, messageType, nvtxEventAttributes_t, messageType);
SAME(nvtx::EventAttributes, message, nvtxEventAttributes_t, message);
static_assert(nvtx::MessageAscii == NVTX_MESSAGE_TYPE_ASCII);
static_assert(nvtx::MessageUnicode == NVTX_MESSAGE_TYPE_UNICODE);
static_assert(nvtx::MessageRegistered == NVTX_MESSAGE_TYPE_REGISTERED);
static_assert(nvtx::ColorArgb == NVTX_COLOR_ARGB);
static_assert(nvtx::NoTracking == NVTX_NO_PUSH_POP_TRACKING);
static_assert(nvtx::ExportCallbacks == NVTX_ETID_CALLBACKS);
static_assert(nvtx::ModuleCore == NVTX_CB_MODULE_CORE && nvtx::ModuleCore2 == NVTX_CB_MODULE_CORE2);
static_assert(nvtx::RangePop == NVTX_CBID_CORE_RangePop && nvtx::MarkEx == NVTX_CBID_CORE_MarkEx);
static_assert(nvtx::RangeStartEx == NVTX_CBID_CORE_RangeStartEx);
static_assert(nvtx::RangePushEx == NVTX_CBID_CORE_RangePushEx);
static_assert(nvtx::DomainRangePop == NVTX_CBID_CORE2_DomainRangePop);
static_assert(nvtx::DomainMarkEx == NVTX_CBID_CORE2_DomainMarkEx);
static_assert(nvtx::DomainRegisterStringA == NVTX_CBID_CORE2_DomainRegisterStringA);
static_assert(nvtx::DomainCreateW == NVTX_CBID_CORE2_DomainCreateW);
