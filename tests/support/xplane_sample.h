#pragma once

#include "tests/support/xspace_builder.h"

#include <string>

namespace tests {

/// A GPU and its host in one step, a TPU, and the start of the profile.
inline std::string xplaneSample()
{
    XPlaneBuilder gpu("/device:GPU:1");
    gpu.line(20, "Stream #20(Compute,MemcpyH2D)", 5000)
        .event("gemm<float>", 1'000'999, 2'000'002,
               { { "correlation_id", 7 }, { "hlo_op", "dot.1" }, { "occupancy", -1 } })
        .event("ncclDevKernel_Generic(x)", 4'000'000, 500'000,
               { { "correlation_id", 8 }, { "hlo_op", "all-reduce-start.3" } })
        .event("ncclDevKernel_AllGather_RING_LL(x)", 5'000'000, 500'000)
        .event("MemcpyH2D", 6'000'000, 1000, { { "memcpy_details", "size:4096 dest:1 async:1" } })
        .event("Memset", 7'000'000, 1000, { { "memset_details", "kind:device num_bytes:12" } });
    gpu.line(0xffffffffffffffff, "Steps", 5000)
        .event("12", 1'000'000, 9'000'000, { { "step_name", "12" } });
    gpu.line(0xfffffffffffffffe, "XLA Modules", 5000).event("jit_step", 1'000'000, 7'000'000);
    gpu.stat({ "device_vendor", "Nvidia" });

    const std::string reduce
        = "%all-reduce.5 = (f32[2,3]{1,0:T(8,128)}, bf16[]) all-reduce(f32[2,3] %a), channel_id=1";
    const std::string wait = "%all-gather-done.1 = u8[16]{0} all-gather-done(%s)";
    XPlaneBuilder tpu("/device:TPU:0");
    tpu.line(1, "XLA Ops", 5000)
        .event("%fusion.1 = f32[2] fusion(%x)", 100'000, 50'000)
        .event(reduce, 200'000, 50'000)
        .event(wait, 300'000, 50'000)
        .displayName("%fusion.1 = f32[2] fusion(%x)", "fusion.1")
        .displayName(reduce, "all-reduce.5")
        .displayName(wait, "all-gather-done.1");

    XPlaneBuilder host("/host:CPU");
    host.line(31, "python", 4000)
        .event("train", 0, 20'000'000, { { "step_num", 12 }, { "_r", 1 } })
        .event("$step.py:1 \"run\"", 500'000, 10'000'000)
        .event("cuLaunchKernel", 600'000, 10'000, { { "correlation_id", 7 } })
        .event("MatMul:MatMul", 550'000, 70'000, { { "is_eager", 1 } })
        .event("MemoryAllocation", 700'000, 0,
               { { "allocator_name", "GPU_1_bfc" },
                 { "allocation_bytes", 256 },
                 { "addr", 4096 },
                 { "bytes_allocated", 512 },
                 { "bytes_reserved", 128 } })
        .event("MemoryDeallocation", 800'000, 0,
               { { "allocator_name", "gpu_host_bfc" }, { "allocation_bytes", 64 } })
        .rawEvent(ProtobufWriter().number(1, 1).number(5, 9).str());
    XPlaneBuilder environment("Task Environment");
    environment.stat({ "profile_start_time", 1'700'000'000'000'000'000 });
    return xspace({ gpu, tpu, host, environment });
}

} // namespace tests
