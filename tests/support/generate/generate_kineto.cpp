#include "tests/support/generate/generate_kineto.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <random>
#include <string>

namespace tests {

namespace {

    constexpr std::int64_t BaseTimeNs = 1751410836000000000;
    constexpr int MainThread = 25286;
    constexpr int BackwardThread = 25391;
    constexpr int ComputeStream = 7;
    constexpr int CopyStream = 14;
    constexpr int CommStream = 20;
    constexpr int LayersPerBucket = 4;
    constexpr std::uint64_t OpsPerLayer = 3; // with a kernel each
    constexpr std::uint64_t ParametersPerLayer = 1024 * 1024; // one tensor, 4 MiB
    constexpr std::uint64_t EventsPerLayer = 54; // at most, beside EventsPerIteration
    constexpr std::uint64_t EventsPerIteration = 60;

    constexpr std::array<const char *, 6> KernelNames = {
        "ampere_sgemm_128x64_tn",
        "void at::native::vectorized_elementwise_kernel<4, at::native::AUnaryFunctor<float, float, "
        "float, at::native::MulFunctor<float> >, at::detail::Array<char*, 2> >(int, "
        "at::native::AUnaryFunctor<float, float, float, at::native::MulFunctor<float> >, "
        "at::detail::Array<char*, 2>)",
        "sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize32x32x8_stage3_warpsize1x2x1_ffma_aligna4",
        "void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, int, 512, true, 1, true>",
        "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
        "at::native::MeanOps<float, float, float, float>, unsigned int, float, 4> >",
        "triton_poi_fused_add_relu_0",
    };

    class Generator
    {
    public:
        Generator(std::ostream &out, const KinetoOptions &options)
            : m_out(out)
            , m_options(options)
            , m_shared(options.seed)
            , m_own(options.seed * 1000003 + static_cast<std::uint64_t>(options.rank) + 1)
            , m_pid(MainThread + options.rank)
        {
        }

        std::uint64_t run()
        {
            header();
            metadata();
            const std::uint64_t iterations
                = std::clamp<std::uint64_t>(m_options.events / (EventsPerLayer * 8), 1, 10);
            m_layers = static_cast<int>(
                std::clamp<std::uint64_t>(m_options.events / iterations / EventsPerLayer, 1, 4000));
            for (int i = 0; m_left > 200 && hasRoom(); ++i)
                iteration(i);
            while (m_left > 0) // the rest of the count, after the last iteration
                cpuOp("aten::empty", MainThread, m_host, 1200, "[[64], []]");
            footer();
            return m_slices;
        }

    private:
        bool hasRoom() const
        {
            return m_left
                >= static_cast<std::uint64_t>(m_layers) * EventsPerLayer + EventsPerIteration;
        }

        std::int64_t random(std::int64_t low, std::int64_t high)
        {
            return low
                + static_cast<std::int64_t>(m_shared()
                                            % static_cast<std::uint64_t>(high - low + 1));
        }

        [[gnu::format(printf, 2, 3)]] void write(const char *format, ...)
        {
            std::array<char, 4096> text {};
            va_list arguments;
            va_start(arguments, format);
            const int size = std::vsnprintf(text.data(), text.size(), format, arguments);
            va_end(arguments);
            m_out.write(text.data(), size);
        }

        void header()
        {
            write(
                "\n{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [\n    {\n      \"id\": 0, "
                "\"name\": \"NVIDIA A100-SXM4-40GB\", \"totalGlobalMem\": 42298834944,\n      "
                "\"computeMajor\": 8, \"computeMinor\": 0, \"warpSize\": 32, \"numSms\": 108\n    "
                "}\n  ],\n  \"record_shapes\": 1,\n  \"distributedInfo\": {\"backend\": \"nccl\", "
                "\"rank\": %d, \"world_size\": %d, \"pg_count\": 1, \"nccl_version\": "
                "\"2.21.5\"},\n  \"displayTimeUnit\": \"ms\",\n  \"baseTimeNanoseconds\": %" PRId64
                ",\n  \"traceEvents\": [",
                m_options.rank, m_options.worldSize, BaseTimeNs);
        }

        void footer()
        {
            write("\n  ],\n  \"traceName\": \"rank%d.pt.trace.json\"\n}\n", m_options.rank);
        }

        /// What every event begins with; counts it.
        void open(const char *phase, const char *category, const char *name, std::int64_t ns)
        {
            write("%s\n  {\n    \"ph\": \"%s\", \"cat\": \"%s\", \"name\": \"%s\", \"ts\": %" PRId64
                  ".%03d,",
                  m_isFirst ? "" : ",", phase, category, name, ns / 1000,
                  static_cast<int>(ns % 1000));
            m_isFirst = false;
            --m_left;
            m_slices += *phase == 'X' ? 1 : 0;
        }

        void metadata()
        {
            metadataRecord("process_name", std::to_string(m_pid), 0, "python3");
            metadataRecord("process_name", "0", 0, "python3");
            metadataRecord("thread_name", std::to_string(m_pid), MainThread,
                           "thread 25286 (python3)");
            metadataRecord("thread_name", std::to_string(m_pid), BackwardThread,
                           "thread 25391 (pt_autograd_0)");
            for (const int stream : { ComputeStream, CopyStream, CommStream })
                metadataRecord("thread_name", "0", stream, "stream " + std::to_string(stream));
        }

        void metadataRecord(const char *what, const std::string &pid, int tid,
                            const std::string &name)
        {
            write("%s\n  {\n    \"name\": \"%s\", \"ph\": \"M\", \"ts\": %" PRId64
                  ".000, \"pid\": %s, \"tid\": %d,\n    \"args\": {\n      \"name\": \"%s\"\n    "
                  "}\n  "
                  "}",
                  m_isFirst ? "" : ",", what, m_host / 1000, pid.c_str(), tid, name.c_str());
            m_isFirst = false;
            --m_left;
        }

        void annotation(const std::string &name, int tid, std::int64_t startNs, std::int64_t endNs)
        {
            ++m_externalId;
            open("X", "user_annotation", name.c_str(), startNs);
            write(" \"dur\": %" PRId64 ".%03d, \"pid\": %d, \"tid\": %d,\n    \"args\": {\n      "
                  "\"External id\": %" PRIu64 ", \"Record function id\": 0, \"Ev Idx\": %" PRIu64
                  "\n    }\n  }",
                  (endNs - startNs) / 1000, static_cast<int>((endNs - startNs) % 1000), m_pid, tid,
                  m_externalId, m_externalId);
        }

        void cpuOp(const char *name, int tid, std::int64_t startNs, std::int64_t durationNs,
                   const char *dims, std::uint64_t sequence = 0)
        {
            ++m_externalId;
            open("X", "cpu_op", name, startNs);
            write(" \"dur\": %" PRId64 ".%03d, \"pid\": %d, \"tid\": %d,\n    \"args\": {\n      "
                  "\"External id\": %" PRIu64 ", ",
                  durationNs / 1000, static_cast<int>(durationNs % 1000), m_pid, tid, m_externalId);
            if (sequence != 0)
                write("\"Sequence number\": %" PRIu64 ", \"Fwd thread id\": %d, ", sequence,
                      tid == BackwardThread ? 1 : 0);
            write("\"Input Dims\": %s, \"Input type\": [\"float\", \"float\"], \"Ev Idx\": %" PRIu64
                  "\n    }\n  }",
                  dims, m_externalId);
        }

        void runtimeCall(const char *name, int cbid, int tid, std::int64_t startNs,
                         std::int64_t durationNs)
        {
            ++m_correlation;
            open("X", "cuda_runtime", name, startNs);
            write(" \"dur\": %" PRId64 ".%03d, \"pid\": %d, \"tid\": %d,\n    \"args\": {\n      "
                  "\"External id\": %" PRIu64 ", \"cbid\": %d, \"correlation\": %" PRIu64
                  "\n    }\n  }",
                  durationNs / 1000, static_cast<int>(durationNs % 1000), m_pid, tid, m_externalId,
                  cbid, m_correlation);
            flow("s", "ac2g", m_correlation, m_pid, tid, startNs);
        }

        void flow(const char *phase, const char *category, std::uint64_t id, int pid, int tid,
                  std::int64_t ns)
        {
            open(phase, category, category, ns);
            write("\n    \"id\": %" PRIu64 ", \"pid\": %d, \"tid\": %d%s\n  }", id, pid, tid,
                  *phase == 'f' ? ", \"bp\": \"e\"" : "");
        }

        void deviceEvent(const char *category, const char *name, int stream, std::int64_t startNs,
                         std::int64_t durationNs, const char *moreArgs)
        {
            open("X", category, name, startNs);
            write(" \"dur\": %" PRId64 ".%03d, \"pid\": 0, \"tid\": %d,\n    \"args\": {\n      "
                  "\"External id\": %" PRIu64 ", \"device\": 0, \"context\": 1, \"stream\": %d, "
                  "\"correlation\": %" PRIu64 ", %s\n    }\n  }",
                  durationNs / 1000, static_cast<int>(durationNs % 1000), stream, m_externalId,
                  stream, m_correlation, moreArgs);
            flow("f", "ac2g", m_correlation, 0, stream, startNs);
        }

        /// A host op that holds one launch, and the kernel.
        void launchingOp(const char *outer, const char *inner, int tid, std::uint64_t sequence)
        {
            const std::int64_t hostNs = random(9000, 16000);
            cpuOp(outer, tid, m_host, hostNs, "[[64, 1024], [1024, 1024]]", sequence);
            cpuOp(inner, tid, m_host + 1000, hostNs - 2500, "[[64, 1024], [1024, 1024]]");
            kernel(tid);
            m_host += hostNs + 700;
        }

        /// A launch, 3 us from now, and its kernel.
        void kernel(int tid)
        {
            runtimeCall("cudaLaunchKernel", 211, tid, m_host + 3000, random(3000, 5000));
            const std::int64_t startNs
                = std::max(m_host + 6000 + random(0, 900), m_streamFree + 800);
            const std::int64_t durationNs = random(4000, 24000);
            const char *name
                = KernelNames[static_cast<std::size_t>(random(0, KernelNames.size() - 1))];
            deviceEvent(
                "kernel", name, ComputeStream, startNs, durationNs,
                "\"queued\": 0, \"registers per thread\": 96, \"shared memory\": 16384, "
                "\"blocks per SM\": 4.740741, \"warps per SM\": 18.962963,\n      \"grid\": "
                "[512, 1, 1], \"block\": [128, 1, 1], \"est. achieved occupancy %\": 30");
            m_streamFree = startNs + durationNs;
        }

        void layerForward()
        {
            const std::uint64_t sequence = m_sequence += OpsPerLayer;
            flow("s", "fwdbwd", sequence, m_pid, MainThread, m_host + 10);
            launchingOp("aten::linear", "aten::addmm", MainThread, sequence);
            launchingOp("aten::batch_norm", "aten::cudnn_batch_norm", MainThread, sequence + 1);
            launchingOp("aten::relu_", "aten::clamp_min_", MainThread, sequence + 2);
        }

        void layerBackward(int layer)
        {
            const std::uint64_t sequence
                = m_sequence - OpsPerLayer * static_cast<std::uint64_t>(layer);
            flow("f", "fwdbwd", sequence, m_pid, BackwardThread, m_host + 10);
            launchingOp("autograd::engine::evaluate_function: AddmmBackward0", "aten::mm",
                        BackwardThread, sequence);
            launchingOp("autograd::engine::evaluate_function: CudnnBatchNormBackward0",
                        "aten::cudnn_batch_norm_backward", BackwardThread, sequence + 1);
            launchingOp("autograd::engine::evaluate_function: ReluBackward0",
                        "aten::threshold_backward", BackwardThread, sequence + 2);
            accumulateGradient(layer);
        }

        /// As DDP's hook: the gradient is copied into its bucket, and what completes one reduces
        /// it.
        void accumulateGradient(int layer)
        {
            const bool isFull = layer % LayersPerBucket == LayersPerBucket - 1;
            const bool isLast = layer + 1 == m_layers;
            const std::int64_t ownNs = 12000, hostNs = ownNs + (isFull || isLast ? 44000 : 0);
            cpuOp("autograd::engine::evaluate_function: torch::autograd::AccumulateGrad",
                  BackwardThread, m_host, hostNs, "[[1024, 1024]]");
            cpuOp("torch::autograd::AccumulateGrad", BackwardThread, m_host + 500, hostNs - 700,
                  "[[1024, 1024]]");
            cpuOp("aten::mul", BackwardThread, m_host + 1000, ownNs - 2000, "[[1024, 1024], []]");
            kernel(BackwardThread);
            m_host += ownNs;
            if (isFull || isLast)
                allReduce(static_cast<std::uint64_t>(layer % LayersPerBucket + 1)
                          * ParametersPerLayer);
            m_host += 700;
        }

        /// As the reducer at the end of the backward pass.
        void copyOut()
        {
            cpuOp("torch.distributed.ddp.reducer::copy_bucket_to_grad", BackwardThread, m_host,
                  10000, "[[1024, 1024]]");
            cpuOp("aten::copy_", BackwardThread, m_host + 1000, 8000,
                  "[[1024, 1024], [1024, 1024], []]");
            kernel(BackwardThread);
            m_host += 10700;
        }

        void allReduce(std::uint64_t elements)
        {
            const std::string dims = "[[" + std::to_string(elements) + "]]";
            cpuOp("c10d::allreduce_", BackwardThread, m_host, 42000, dims.c_str());
            runtimeCall("cudaLaunchKernelExC", 430, BackwardThread, m_host + 21000, 5200);
            const std::int64_t readyNs = std::max(m_streamFree, m_host + 28000);
            const std::int64_t durationNs = random(150000, 210000);
            const std::int64_t endNs = std::max(readyNs, m_commFree) + durationNs;
            // This rank may join late; the end is the same on all.
            const auto lateNs
                = static_cast<std::int64_t>(m_own() % static_cast<std::uint64_t>(durationNs / 3));
            const std::int64_t startNs = std::max(readyNs, m_commFree) + lateNs;
            std::array<char, 512> args {};
            std::snprintf(args.data(), args.size(),
                          "\"Collective name\": \"allreduce\", \"In msg nelems\": %" PRIu64
                          ", \"Out msg nelems\": %" PRIu64 ", \"Group size\": %d, \"dtype\": "
                          "\"Float\",\n      \"Process Group Name\": \"0\", \"Process Group "
                          "Description\": \"default_pg\", \"Seq\": %" PRIu64,
                          elements, elements, m_options.worldSize, ++m_collectives);
            deviceEvent("kernel",
                        "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
                        CommStream, startNs, endNs - startNs, args.data());
            m_commFree = endNs + 900;
            m_host += 44000;
        }

        void copyInput()
        {
            cpuOp("aten::copy_", MainThread, m_host, 19000, "[[64, 1024], [64, 1024]]");
            runtimeCall("cudaMemcpyAsync", 41, MainThread, m_host + 2000, 9000);
            deviceEvent("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", CopyStream, m_host + 9000,
                        21000,
                        "\"bytes\": 262144, \"memory bandwidth (GB/s)\": 12.483047619047619");
            m_host += 20000;
            m_streamFree = std::max(m_streamFree, m_host + 10000);
        }

        void iteration(int number)
        {
            const std::int64_t stepNs = m_host;
            m_host += 2000;
            copyInput();
            const std::int64_t forwardNs = m_host;
            for (int layer = 0; layer < m_layers; ++layer)
                layerForward();
            annotation("DistributedDataParallel.forward", MainThread, forwardNs, m_host);
            for (int layer = 0; layer < m_layers; ++layer)
                layerBackward(layer);
            m_streamFree = std::max(m_streamFree, m_commFree);
            for (int layer = 0; layer < m_layers; ++layer)
                copyOut();
            const std::int64_t optimizerNs = m_host;
            for (int i = 0; i < std::max(1, m_layers / 8); ++i)
                launchingOp("aten::_foreach_add_", "aten::add_", MainThread, 0);
            annotation("Optimizer.step#SGD.step", MainThread, optimizerNs, m_host);
            m_host = std::max(m_host, m_streamFree) + 4000;
            m_streamFree = m_host;
            annotation("ProfilerStep#" + std::to_string(number), MainThread, stepNs, m_host - 1);
            deviceAnnotation(number, forwardNs);
        }

        void deviceAnnotation(int number, std::int64_t startNs)
        {
            open("X", "gpu_user_annotation", ("ProfilerStep#" + std::to_string(number)).c_str(),
                 startNs);
            write(" \"dur\": %" PRId64 ".000, \"pid\": 0, \"tid\": %d,\n    \"args\": {\n      "
                  "\"External id\": %" PRIu64 "\n    }\n  }",
                  (m_streamFree - startNs) / 1000, ComputeStream, m_externalId);
        }

        std::ostream &m_out;
        KinetoOptions m_options;
        std::mt19937_64 m_shared; ///< what all ranks have in common
        std::mt19937_64 m_own; ///< what this rank has for itself
        int m_pid;
        int m_layers = 1;
        std::uint64_t m_left = m_options.events;
        std::uint64_t m_slices = 0;
        bool m_isFirst = true;
        std::int64_t m_host = 1428625731896179; ///< ns after the base, the host's time now
        std::int64_t m_streamFree = 0, m_commFree = 0;
        std::uint64_t m_externalId = 0, m_correlation = 0, m_sequence = 0, m_collectives = 0;
    };

} // namespace

std::uint64_t generateKineto(std::ostream &out, const KinetoOptions &options)
{
    return Generator(out, options).run();
}

} // namespace tests
