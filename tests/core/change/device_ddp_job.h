#pragma once

#include "tests/support/trace_builder.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tests {

inline constexpr std::size_t Parameters = 6;
inline constexpr std::int64_t Mib = 1'048'576; ///< of each parameter
inline constexpr int Iterations = 4;

/// How many parameters each bucket holds.
using Layout = std::vector<std::size_t>;

/// Data-parallel training on two accelerators that are alike, as PyTorch's DDP does it (see
/// gradient_buckets.h). Times are in us. The host launches ahead; at the end of an iteration it
/// waits for the accelerator. An all-reduce takes 100 us and 400 us a MiB.
class DdpJob
{
public:
    explicit DdpJob(Layout layout)
        : m_layout(std::move(layout))
    {
    }

    /// Copies out of the buckets that do not wait for the all-reduces, as in no DDP.
    DdpJob &withoutWaits()
    {
        m_copiesWait = false;
        return *this;
    }
    /// Copies out of the buckets begin and end with what launches them, as whole microseconds can
    /// make it look.
    DdpJob &withShortCopies()
    {
        m_areCopiesShort = true;
        return *this;
    }
    /// The recording does not tell how large parameters are.
    DdpJob &withoutSizes()
    {
        m_hasSizes = false;
        return *this;
    }
    /// A communication hook sends half of the bytes.
    DdpJob &compressed()
    {
        m_parts = 2;
        return *this;
    }
    /// One sends them in a wider type.
    DdpJob &widened()
    {
        m_times = 2;
        return *this;
    }
    /// The recording ends when the host has launched the last iteration.
    DdpJob &leftEarly()
    {
        m_isLeftEarly = true;
        return *this;
    }

    core::Trace trace()
    {
        std::string text;
        for (int rank = 0; rank < 2; ++rank) {
            run();
            text += "rank " + std::to_string(rank) + "\n" + m_iterations + "thread main\n" + m_host
                + "stream 7 gpu=0\n" + m_compute + "stream 20 gpu=0\n" + m_communication;
        }
        return traceFromText(text);
    }

    /// Of the iterations that are whole.
    std::int64_t iterationNs()
    {
        run();
        return m_iterationUs * 1000;
    }

private:
    void run()
    {
        m_iterations = m_host = m_compute = m_communication = {};
        m_hostUs = m_computeUs = m_communicationUs = 0;
        m_correlation = m_sequence = 0;
        for (int i = 0; i < Iterations; ++i)
            runIteration(i);
    }

    void runIteration(int index)
    {
        const std::int64_t startUs = m_hostUs;
        launchKernel("forward", 200);
        std::vector<std::int64_t> reducedUs; // by bucket
        std::size_t parameter = 0;
        for (const std::size_t count : m_layout) {
            for (std::size_t i = 1; i <= count; ++i, ++parameter) {
                launchKernel("backward", 300);
                accumulate(i == count ? count : 0, reducedUs);
            }
        }
        for (std::size_t bucket = 0; bucket < m_layout.size(); ++bucket)
            for (std::size_t i = 0; i < m_layout[bucket]; ++i)
                copyOut(i == 0 && m_copiesWait ? reducedUs[bucket] : 0);
        launchKernel("optimizer", 50);
        if (!m_isLeftEarly || index + 1 < Iterations) {
            const std::int64_t doneUs = m_computeUs + 5;
            line(m_host, "cudaDeviceSynchronize", m_hostUs, doneUs - m_hostUs, "runtime");
            m_hostUs = doneUs;
            m_iterationUs = m_hostUs - startUs;
        }
        m_iterations += "iteration " + std::to_string(index) + " " + std::to_string(startUs) + " "
            + std::to_string(m_hostUs - startUs) + "\n";
    }

    /// Copies the gradient into its bucket, and hands over a bucket of `count` parameters.
    void accumulate(std::size_t count, std::vector<std::int64_t> &reducedUs)
    {
        const std::int64_t startUs = m_hostUs;
        line(m_host, "aten::mul", startUs + 1, 6, "");
        m_hostUs = startUs + 2;
        launchKernel("copy~in", 3);
        m_hostUs = startUs + 8;
        if (count > 0) {
            line(m_host, "c10d::allreduce_", m_hostUs, 20, "");
            const std::int64_t launchedUs = m_hostUs + 14;
            line(m_host, "cudaLaunchKernelExC", launchedUs - 4, 4,
                 "runtime corr=" + std::to_string(++m_correlation));
            const std::int64_t bytes = static_cast<std::int64_t>(count) * Mib * m_times / m_parts;
            const std::int64_t beginUs = std::max({ launchedUs, m_computeUs, m_communicationUs });
            m_communicationUs
                = beginUs + 100 + 400 * static_cast<std::int64_t>(count) * m_times / m_parts;
            line(m_communication, "ncclDevKernel_AllReduce", beginUs, m_communicationUs - beginUs,
                 "comm_kernel kind=all_reduce group=dp seq=" + std::to_string(m_sequence++)
                     + " bytes=" + std::to_string(bytes)
                     + " corr=" + std::to_string(m_correlation));
            reducedUs.push_back(m_communicationUs);
            m_hostUs += 20;
        }
        line(m_host, "autograd::engine::evaluate_function:~torch::autograd::AccumulateGrad",
             startUs, m_hostUs - startUs, "");
    }

    void copyOut(std::int64_t notBeforeUs)
    {
        const std::int64_t startUs = m_hostUs;
        m_hostUs += 1;
        m_computeUs = std::max(m_computeUs, notBeforeUs);
        launchKernel("copy~out", 5);
        m_hostUs += 1;
        const std::int64_t aroundUs = m_areCopiesShort ? 0 : 1;
        line(m_host, "torch.distributed.ddp.reducer::copy_bucket_to_grad", startUs + 1 - aroundUs,
             4 + 2 * aroundUs, m_hasSizes ? "bytes=" + std::to_string(Mib) : "");
    }

    void launchKernel(const std::string &name, std::int64_t us)
    {
        const std::string correlation = " corr=" + std::to_string(++m_correlation);
        line(m_host, "cudaLaunchKernel", m_hostUs, 4, "runtime" + correlation);
        m_hostUs += 4;
        const std::int64_t startUs = std::max(m_hostUs, m_computeUs);
        line(m_compute, name, startUs, us, correlation);
        m_computeUs = startUs + us;
    }

    static void line(std::string &track, const std::string &name, std::int64_t startUs,
                     std::int64_t durationUs, const std::string &rest)
    {
        track += name + " " + std::to_string(startUs) + " " + std::to_string(durationUs) + " "
            + rest + "\n";
    }

    Layout m_layout;
    bool m_copiesWait = true, m_isLeftEarly = false, m_areCopiesShort = false, m_hasSizes = true;
    int m_parts = 1; ///< one of which is sent
    int m_times = 1; ///< what is sent, of the gradients
    std::string m_iterations, m_host, m_compute, m_communication;
    std::int64_t m_hostUs = 0; ///< what the host has come to
    std::int64_t m_computeUs = 0, m_communicationUs = 0; ///< the streams' ends
    std::int64_t m_iterationUs = 0;
    int m_correlation = 0, m_sequence = 0;
};

} // namespace tests
