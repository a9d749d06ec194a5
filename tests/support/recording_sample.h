#pragma once

#include "tests/support/recording.h"

#include <array>
#include <string>
#include <string_view>

namespace tests {

/// Recordings of Longpole's collectors.
namespace recordingsample {

    using namespace collectors;

    inline std::string_view bytesOf(const BucketParameter &parameter)
    {
        return { reinterpret_cast<const char *>(&parameter), sizeof(parameter) };
    }

    inline void addCudaRecords(Recording &recording)
    {
        KernelRecord kernel { 1000,        1500,          7,  0, 0, 1, 20, 1, 0,
                              { 2, 1, 1 }, { 128, 1, 1 }, 32, 0, 64 };
        recording.add(RecordKernel, kernel);
        kernel = { 2000, 2500, 8, 99, 0, 1, 20, 2, 5, { 1, 1, 1 }, { 1, 1, 1 }, 1, 0, 0 };
        recording.add(RecordKernel, kernel); // of a NCCL kernel, in a graph
        kernel.start = kernel.end = 0;
        recording.add(RecordKernel, kernel); // its time was lost
        recording.add(RecordMemcpy,
                      MemcpyRecord { 3000, 3100, 9, 0, 4096, 0, 1, 21, MemcpyHostToDevice, 0, 0 });
        recording.add(RecordMemset, MemsetRecord { 3200, 3210, 10, 0, 64, 0, 1, 21, 0 });
        recording.add(RecordApiCall, ApiCallRecord { 900, 950, 7, 3, 0, 0, 0 }, 501);
        recording.add(RecordApiCall, ApiCallRecord { 960, 970, 11, 3, 0, 2, 0 }, 501);
        recording.add(RecordRange, RangeRecord { 800, 1800, 4, 0, 0, 0 }, 501);
        recording.add(
            RecordSync,
            SyncRecord { 1600, 1700, 12, 7, SyncStreamWaitsForEvent, SyncHasStream, 0, 1, 21, 5 });
        recording.add(RecordSync,
                      SyncRecord { 1800, 1900, 13, 0, SyncStream, SyncHasStream, 0, 1, 20, 0 });
        recording.add(RecordSync, SyncRecord { 1950, 1960, 14, 0, SyncContext, 0, 0, 1, 0, 0 });
        recording.add(RecordGraphLaunch, GraphLaunchRecord { 4000, 4500, 15, 0, 1, 20, 5 });
        recording.add(RecordGraphEdge, GraphEdgeRecord { 98, 99, 5, 0 });
        recording.add(RecordExternalCorrelation, ExternalCorrelationRecord { 7, 70, 1, 0 });
    }

    inline void addNcclRecords(Recording &recording)
    {
        recording.add(RecordCommunicator, CommunicatorRecord { 0xabc, 9, 1, 4, 2, 0, 0 });
        CollectiveRecord collective {
            5000, 5010, 5100, 5900, 0xabc, 3, 1024, 4096, 8, 5, 6, 7, 8, 1, 0, 2, TimeOnDeviceKnown
        };
        recording.add(RecordCollective, collective, 501);
        collective.flags = 0;
        recording.add(RecordCollective, collective, 501);
        const PointToPointRecord send { 6000, 6010, 6100, 6200, 0xabc,
                                        0,    8,    32,   0,    1,
                                        6,    1,    2,    1,    TimeOnDeviceKnown };
        recording.add(RecordPointToPoint, send, 501);
        const OperationKey key { 0xabc, 3, 5, 1 };
        recording.add(RecordProxyOp, ProxyOpRecord { key, 5105, 5110, 5400, 2048, 0, 2, 2, 1 });
        recording.add(RecordProxyOp, ProxyOpRecord { key, 5105, 5110, 0, 2048, 1, 2, 2, 1 });
        recording.add(RecordProxyStep,
                      ProxyStepRecord { key, 5110, 1024, 0, 2, 0, 1, { 5, 20, 40 }, 100 });
        recording.add(RecordProxyStep,
                      ProxyStepRecord { key, 5115, 1024, 0, 0, 0, 0, { 1, 90, 95 }, 120 });
        recording.add(RecordKernelChannel, KernelChannelRecord { key, 5100, 5900, 0, 0, 0, 0 });
        recording.add(RecordKernelChannel, KernelChannelRecord { key, 5101, 0, 70, 870, 1, 0 });
    }

    inline void addFrameworkRecords(Recording &recording)
    {
        const BucketParameter weight { 400, 10, 0 };
        const BucketParameter bias { 40, 11, 0 };
        std::string parameters(bytesOf(weight));
        parameters += bytesOf(bias);
        recording.add(RecordBucket, BucketRecord { 440, 0, 2, 6, 0 }, 0, parameters);
        recording.add(RecordBucketAllReduce, BucketAllReduceRecord { 7000, 7500, 440, 2, 0, 0 });
        recording.add(RecordPushPull, PushPullRecord { 8000, 8100, 40, 65536, 11, 1, 0, 0 });
        recording.add(RecordPushPull, PushPullRecord { 8200, 8300, 40, 65536, 11, 0, 0, 0 });
        recording.add(RecordIteration, IterationRecord { 500, 9000, 12 });
        recording.add(RecordMemory,
                      MemoryRecord { 600, 0x1000, 512, 2048, 4096, 0, MemoryOnDevice });
        recording.add(RecordMemory, MemoryRecord { 700, 0x2000, -16, 0, 0, 0, 0 });
    }

    /// Records of every kind, of the "NCCL" collector, and one of a kind that does not exist.
    inline Recording everyKind()
    {
        Recording recording;
        recording.addHeader(CollectorNccl);
        recording.add(RecordClockPair, ClockPair { ClockRealtime, ClockMonotonic, 100, 50, 0, 2 });
        addCudaRecords(recording);
        addNcclRecords(recording);
        constexpr std::array Texts = { "gemm",
                                       "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
                                       "cudaLaunchKernel",
                                       "forward \"x\"",
                                       "AllReduce",
                                       "ncclFloat32",
                                       "RING",
                                       "SIMPLE",
                                       "dp",
                                       "fc.weight",
                                       "fc.bias" };
        for (std::uint32_t i = 0; i < Texts.size(); ++i)
            recording.addString(i + 1, Texts[i]); // after most of their uses
        addFrameworkRecords(recording);
        recording.add(RecordDropped, DroppedRecord { 9000, 17 });
        recording.add(static_cast<RecordKind>(200), std::uint64_t { 1 });
        recording.add(RecordGraphNode, GraphNodeRecord { 99, 97, 5, 0 });
        recording.add(RecordEnd, EndRecord { 9999 });
        return recording;
    }

} // namespace recordingsample

} // namespace tests
