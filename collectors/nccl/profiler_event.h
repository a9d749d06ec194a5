#pragma once

#include "collectors/nccl/profiler_abi.h"

namespace collectors {

/// A started event as every version of the interface describes it. Texts belong to NCCL and are
/// valid during the call only.
struct ProfilerEvent
{
    std::uint64_t type = 0; ///< abi::EventType
    void *parent = nullptr;
    int rank = 0; ///< of the communicator
    // Coll, P2p, CeColl, CollApi, P2pApi
    std::uint64_t communicator = 0; ///< 0: that of the context (from version 4 on)
    const char *communicatorName = nullptr;
    const char *function = nullptr;
    const char *datatype = nullptr;
    const char *algorithm = nullptr, *protocol = nullptr;
    std::uint64_t sequence = 0, count = 0;
    int root = 0, peer = 0;
    std::uint32_t channelCount = 0;
    std::uint32_t kernelChannelCount = 0; ///< KernelCh events to come; 0: unknown
    // ProxyOp, ProxyStep, KernelCh
    std::uint32_t channel = 0, stepCount = 0, step = 0;
    int processId = 0;
    bool isSend = false;
    std::uint64_t gpuTimeNs = 0; ///< 0: unknown
};

ProfilerEvent profilerEvent(const abi::DescriptorV1 &descriptor) noexcept;
ProfilerEvent profilerEvent(const abi::DescriptorV2 &descriptor) noexcept;
ProfilerEvent profilerEvent(const abi::DescriptorV3 &descriptor) noexcept;
ProfilerEvent profilerEvent(const abi::DescriptorV4 &descriptor) noexcept;
ProfilerEvent profilerEvent(const abi::DescriptorV5 &descriptor) noexcept;

/// Bytes of `count` elements of a NCCL type ("ncclFloat32"); 0 for a type that is not known.
std::uint64_t bytesOfElements(const char *datatype, std::uint64_t count) noexcept;

} // namespace collectors
