#pragma once

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace tests {

/// One iteration of one rank; milliseconds. Without backward it is an evaluation, without
/// all-reduce a micro-step.
struct JobStep
{
    double forward = 10, backward = 20, reduce = 6, optimizer = 2;
    double save = 0; ///< aten::save on the host, when the device is done
    double copy = 0; ///< a stray kernel behind the forward pass
    int allocations = 0; ///< aten::empty on the host, which take 1 us each
    int loads = 0; ///< operations on a loader's thread, which take 0.3 ms each
};

/// Records of torch.profiler of a rank on a GPU. The host launches all kernels at once, and waits
/// for the device; an all-reduce ends on all ranks at once.
///
///     host     |launch |--- cudaDeviceSynchronize ----------------|save|
///     stream 7         |forward|backward|            |optimizer|
///     stream 20                         |all_reduce  |
///
/// Launching takes 20 us before the first kernel, the end of an iteration 20 us.
class PeriodJobWriter
{
public:
    /// [iterations][ranks]; [iterations]
    PeriodJobWriter(const std::vector<std::vector<JobStep>> &steps, const std::vector<int> &numbers)
        : m_events(steps.front().size(), nlohmann::json::array())
    {
        std::vector<double> atUs(steps.front().size(), 1000);
        for (std::size_t i = 0; i < steps.size(); ++i)
            addIteration(steps[i], numbers[i], atUs);
    }

    std::string text(std::size_t rank) const
    {
        return nlohmann::json {
            { "schemaVersion", 1 },
            { "deviceProperties", { { { "id", 0 }, { "name", "NVIDIA A100-SXM4-80GB" } } } },
            { "distributedInfo",
              { { "backend", "nccl" }, { "rank", rank }, { "world_size", m_events.size() } } },
            { "traceEvents", m_events[rank] }
        }.dump();
    }

private:
    static constexpr int Host = 100, Loader = 101, Stream = 7, NetworkStream = 20;

    void addIteration(const std::vector<JobStep> &ranks, int number, std::vector<double> &atUs)
    {
        double reduceEndUs = 0; // of the last rank
        for (std::size_t rank = 0; rank < ranks.size(); ++rank)
            reduceEndUs = std::max(reduceEndUs,
                                   readyUs(ranks[rank], atUs[rank]) + ranks[rank].reduce * 1000);
        m_sequence += ranks.front().reduce > 0 ? 1 : 0;
        for (std::size_t rank = 0; rank < ranks.size(); ++rank)
            addStep(rank, ranks[rank], number, reduceEndUs, atUs[rank]);
    }

    static double readyUs(const JobStep &step, double beginUs)
    {
        return beginUs + 20 + (step.forward + step.copy + step.backward) * 1000;
    }

    void addStep(std::size_t rank, const JobStep &step, int number, double reduceEndUs,
                 double &atUs)
    {
        m_rank = rank;
        m_launchUs = atUs;
        double streamUs = atUs + 20;
        for (int i = 0; i < step.loads; ++i)
            add("cpu_op", "aten::stack", Loader, atUs + 400 * i, 300);
        const auto kernel = [&](const char *name, double ms) {
            if (ms > 0)
                launch("kernel", name, Stream, streamUs, ms * 1000, {});
            streamUs += ms * 1000;
        };
        kernel("forward_gemm", step.forward);
        kernel("stray_kernel", step.copy);
        kernel("backward_gemm", step.backward);
        if (step.reduce > 0) {
            launch("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", NetworkStream, streamUs,
                   reduceEndUs - streamUs, communication());
            streamUs = reduceEndUs;
        }
        kernel("multi_tensor_apply_kernel", step.optimizer);
        add("cuda_runtime", "cudaDeviceSynchronize", Host, m_launchUs, streamUs - m_launchUs,
            { { "correlation", ++m_correlation } });
        double endUs = streamUs;
        if (step.save > 0)
            add("cpu_op", "aten::save", Host, endUs, step.save * 1000);
        endUs += step.save * 1000;
        for (int i = 0; i < step.allocations; ++i)
            add("cpu_op", "aten::empty", Host, endUs + 2 * i, 1);
        endUs += 20;
        add("user_annotation", "ProfilerStep#" + std::to_string(number), Host, atUs, endUs - atUs);
        atUs = endUs;
    }

    nlohmann::json communication() const
    {
        return { { "Collective name", "allreduce" },
                 { "dtype", "Float" },
                 { "In msg nelems", 6553600 },
                 { "Out msg nelems", 6553600 },
                 { "Group size", m_events.size() },
                 { "Process Group Name", "0" },
                 { "Process Group Description", "default_pg" },
                 { "Seq", m_sequence } };
    }

    /// 2 us of the host, one after the other.
    void launch(const char *category, const char *name, int stream, double startUs,
                double durationUs, nlohmann::json args)
    {
        ++m_correlation;
        add("cuda_runtime", "cudaLaunchKernel", Host, m_launchUs, 2,
            { { "correlation", m_correlation } });
        m_launchUs += 2;
        args["correlation"] = m_correlation;
        args["stream"] = stream;
        args["device"] = 0;
        add(category, name, stream, startUs, durationUs, std::move(args));
    }

    void add(const char *category, const std::string &name, int thread, double startUs,
             double durationUs, nlohmann::json args = nlohmann::json::object())
    {
        const bool isOfDevice = std::string(category) == "kernel";
        m_events[m_rank].push_back({ { "ph", "X" },
                                     { "cat", category },
                                     { "name", name },
                                     { "pid", isOfDevice ? 0 : 4000 },
                                     { "tid", thread },
                                     { "ts", startUs },
                                     { "dur", durationUs },
                                     { "args", std::move(args) } });
    }

    std::vector<nlohmann::json> m_events; ///< [ranks]
    std::size_t m_rank = 0;
    double m_launchUs = 0;
    int m_correlation = 0, m_sequence = 0;
};

} // namespace tests
