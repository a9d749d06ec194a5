#include "tests/support/generate/gpu_ddp_job.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <random>
#include <string>
#include <utility>

namespace tests {

namespace {

    constexpr int MainThread = 100, BackwardThread = 101, ModelStream = 7, CommStream = 20;
    constexpr std::int64_t LatencyNs = 3'000; ///< from a launch's return until its kernel may begin
    constexpr std::int64_t BytesPerNs = 1'000; ///< of a copy, its kernel's time
    constexpr std::int64_t SyncNs = 10'000;
    constexpr std::int64_t OperatorNs = 500; ///< of an operator, after what it calls

    std::int64_t copyTime(std::uint64_t bytes)
    {
        return 2'000 + static_cast<std::int64_t>(bytes) / BytesPerNs;
    }

    std::int64_t ofLayer(const std::vector<std::int64_t> &ns, std::size_t layer, std::int64_t ofAll)
    {
        return ns.empty() ? ofAll : ns[layer];
    }

    int kernelsOf(const std::vector<int> &kernels, std::size_t layer)
    {
        return kernels.empty() ? 1 : kernels[layer];
    }

    std::vector<std::uint64_t> tensorsOf(const GpuDdpJob &job, std::size_t layer)
    {
        return job.layerTensors.empty() ? std::vector { job.layerBytes[layer] }
                                        : job.layerTensors[layer];
    }

    using Transfers = std::vector<std::pair<std::int64_t, std::int64_t>>; ///< [begin, end) in ns

    /// One rank's host and streams, and what the profiler writes about them, if it `isRecorded`.
    /// Times are ns.
    class Rank
    {
    public:
        Rank(const GpuDdpJob &job, int rank, const Transfers &transfers, bool isRecorded)
            : m_job(job)
            , m_transfers(transfers)
            , m_isRecorded(isRecorded)
            , m_random(job.seed * 1000 + static_cast<unsigned>(rank))
            , m_slowness(job.slowness.empty() ? 1 : job.slowness[static_cast<std::size_t>(rank)])
        {
            m_text = "{\"schemaVersion\":1,\"record_shapes\":1,\"distributedInfo\":{\"backend\":"
                     "\"nccl\",\"rank\":"
                + std::to_string(rank) + ",\"world_size\":" + std::to_string(job.ranks)
                + "},\"traceEvents\":[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"tid\":0,"
                  "\"ts\":0,\"args\":{\"name\":\"python\"}}";
        }

        std::int64_t hostNs() const { return m_host; }
        /// What was written since it was last asked for.
        std::string takeText() { return std::exchange(m_text, {}); }

        void forward(std::size_t layer, std::uint64_t sequence)
        {
            const std::int64_t startNs = m_host;
            m_thread = MainThread;
            kernels("gemm_forward", "elementwise_forward",
                    ofLayer(m_job.layerForwardNs, layer, m_job.forwardNs),
                    kernelsOf(m_job.layerForwardKernels, layer));
            op("aten::linear", startNs, layerDims() + autograd(sequence, 0));
        }

        void backward(std::size_t layer, std::uint64_t sequence)
        {
            const std::int64_t startNs = m_host;
            m_thread = BackwardThread;
            kernels("gemm_backward", "elementwise_backward",
                    ofLayer(m_job.layerBackwardNs, layer, m_job.backwardNs),
                    kernelsOf(m_job.layerBackwardKernels, layer));
            op("autograd::engine::evaluate_function: AddmmBackward0", startNs,
               layerDims() + autograd(sequence, 1));
        }

        /// A bucket that is complete is `handedOver`.
        struct HandOver
        {
            std::uint64_t bytes = 0;
            std::vector<std::uint64_t> tensors;
            std::int64_t launchedNs = 0; ///< of the all-reduce's kernel
            std::int64_t filledNs = 0; ///< all gradients are copied in
            std::uint64_t correlation = 0;
            std::uint64_t recordCall = 0;
        };

        void accumulate(std::uint64_t bytes, HandOver *handedOver)
        {
            const std::int64_t startNs = m_host, copyNs = startNs + 500;
            m_host = copyNs;
            kernel("mul_kernel", copyTime(bytes));
            op("aten::mul", copyNs);
            if (handedOver)
                handOver(*handedOver);
            op("torch::autograd::AccumulateGrad", startNs + 200, dims(bytes));
            op("autograd::engine::evaluate_function: torch::autograd::AccumulateGrad", startNs);
        }

        /// When the all-reduce's kernel may begin here.
        std::int64_t mayBeginNs(const HandOver &bucket) const
        {
            return std::max({ bucket.launchedNs + LatencyNs, bucket.filledNs, m_commFree });
        }

        void reduce(const HandOver &bucket, std::int64_t startNs, std::int64_t endNs)
        {
            deviceEvent("ncclDevKernel_AllReduce_Sum_f32_RING_LL", CommStream, startNs, endNs,
                        bucket.correlation,
                        ",\"Collective name\":\"allreduce\","
                            + field("In msg nelems", bucket.bytes / 4)
                            + field("Out msg nelems", bucket.bytes / 4)
                            + field("Group size", static_cast<std::uint64_t>(m_job.ranks))
                            + "\"dtype\":\"Float\",\"Process Group Name\":\"0\",\"Process Group "
                              "Description\":\"default_pg\"");
            m_commFree = endNs;
        }

        /// `waitsNs`: of a bucket's first, when the bucket is reduced.
        void copyOut(std::uint64_t bytes, std::int64_t waitsNs)
        {
            const std::int64_t startNs = m_host;
            if (waitsNs > 0) {
                m_modelFree = std::max(m_modelFree, waitsNs);
                waitForEvent(ModelStream, CommStream, call("cudaEventRecord", 1'000));
            }
            kernel("copy_kernel", copyTime(bytes));
            op("torch.distributed.ddp.reducer::copy_bucket_to_grad", startNs, dims(bytes));
        }

        void optimize()
        {
            m_thread = MainThread;
            const std::int64_t optimizerNs = m_host;
            kernel("sgd_kernel", optimizerNsOf(m_job));
            event("user_annotation", "Optimizer.step#SGD.step", m_thread, optimizerNs, m_host, {});
        }

        /// The wait for the device. `startNs` is the iteration's.
        void finish(int iteration, std::int64_t startNs)
        {
            m_thread = MainThread;
            const std::int64_t syncNs = m_host;
            m_host = std::max(m_host, m_modelFree) + SyncNs;
            event("cuda_runtime", "cudaStreamSynchronize", m_thread, syncNs, m_host,
                  correlated(++m_correlation));
            event("user_annotation", ("ProfilerStep#" + std::to_string(iteration)).c_str(),
                  m_thread, startNs, m_host, {});
        }

    private:
        static std::string dims(std::uint64_t bytes)
        {
            return "\"Input Dims\":[[" + std::to_string(bytes / 4)
                + "]],\"Input type\":[\"float\"],";
        }

        /// Of a layer.
        void kernels(const char *first, const char *others, std::int64_t ns, int count)
        {
            const double passing = count > 1 ? m_job.passingShare * static_cast<double>(ns) : 0;
            const std::int64_t eachNs = count > 1 ? std::llround(passing / (count - 1)) : 0;
            kernel(first, ns - eachNs * (count - 1));
            for (int i = 1; i < count; ++i)
                kernel(others, eachNs);
        }

        /// The host launches a kernel, which runs on the model's stream when what is before it is
        /// done.
        void kernel(const char *name, std::int64_t ns)
        {
            const std::uint64_t correlation = call("cudaLaunchKernel", m_job.launchNs);
            const std::int64_t startNs = std::max(m_host + LatencyNs, m_modelFree);
            const double scatter = m_job.scatter * m_normal(m_random);
            m_modelFree = endBesideTransfers(
                startNs, static_cast<double>(ns) * m_slowness * std::exp(scatter));
            deviceEvent(name, ModelStream, startNs, m_modelFree, correlation, {});
        }

        /// Of a kernel that takes that long alone.
        std::int64_t endBesideTransfers(std::int64_t startNs, double aloneNs) const
        {
            double nowNs = static_cast<double>(startNs);
            for (const auto &[beginNs, endNs] : m_transfers) {
                const auto begin = static_cast<double>(beginNs), end = static_cast<double>(endNs);
                if (end <= nowNs)
                    continue;
                const double before = std::max(0.0, begin - nowNs);
                if (aloneNs <= before)
                    break;
                nowNs += before;
                aloneNs -= before;
                const double beside = std::min(aloneNs, (end - nowNs) / m_job.slowdown);
                nowNs += beside * m_job.slowdown;
                aloneNs -= beside;
            }
            return std::llround(nowNs + aloneNs);
        }

        std::string layerDims() const { return m_job.hasShapes ? dims(1 << 20) : std::string(); }

        void handOver(HandOver &bucket)
        {
            const std::int64_t startNs = m_host;
            bucket.filledNs = m_modelFree;
            bucket.recordCall = call("cudaEventRecord", 1'000);
            waitForEvent(CommStream, ModelStream, bucket.recordCall);
            m_host = startNs + m_job.handOverNs / 2;
            bucket.correlation = call("cudaLaunchKernelExC", 4'000);
            bucket.launchedNs = m_host;
            m_host = startNs + m_job.handOverNs;
            op("c10d::allreduce_", startNs, dims(bucket.bytes));
        }

        void waitForEvent(int stream, int awaited, std::uint64_t recordCall)
        {
            const std::int64_t startNs = m_host;
            const std::uint64_t waitCall = call("cudaStreamWaitEvent", 1'000);
            if (m_job.hasSyncEvents)
                event("cuda_sync", "Stream Wait Event", stream, startNs, startNs + 1'000,
                      field("stream", static_cast<std::uint64_t>(stream))
                          + field("wait_on_stream", static_cast<std::uint64_t>(awaited))
                          + field("wait_on_cuda_event_record_corr_id", recordCall)
                          + correlated(waitCall));
        }

        /// Returns its correlation.
        std::uint64_t call(const char *name, std::int64_t ns)
        {
            event("cuda_runtime", name, m_thread, m_host, m_host + ns, correlated(++m_correlation));
            m_host += ns;
            return m_correlation;
        }

        static std::string field(const char *name, std::uint64_t value)
        {
            return "\"" + std::string(name) + "\":" + std::to_string(value) + ",";
        }
        static std::string correlated(std::uint64_t correlation)
        {
            return "\"correlation\":" + std::to_string(correlation);
        }
        static std::string autograd(std::uint64_t sequence, std::uint64_t thread)
        {
            return field("Sequence number", sequence) + field("Fwd thread id", thread);
        }

        /// Ends soon.
        void op(const char *name, std::int64_t startNs, const std::string &fields = {})
        {
            m_host += OperatorNs;
            event("cpu_op", name, m_thread, startNs, m_host,
                  fields + "\"External id\":" + std::to_string(++m_externalId));
        }

        void deviceEvent(const char *name, int stream, std::int64_t startNs, std::int64_t endNs,
                         std::uint64_t correlation, const std::string &more)
        {
            event("kernel", name, stream, startNs, endNs,
                  "\"device\":0," + field("stream", static_cast<std::uint64_t>(stream))
                      + correlated(correlation) + more);
        }

        void event(const char *category, const char *name, int row, std::int64_t startNs,
                   std::int64_t endNs, const std::string &args)
        {
            if (!m_isRecorded)
                return;
            const bool isHost = row == MainThread || row == BackwardThread;
            std::array<char, 512> text {};
            std::snprintf(text.data(), text.size(),
                          ",\n{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,"
                          "\"ts\":%.3f,\"dur\":%.3f,\"args\":{",
                          category, name, isHost ? 1 : 0, row, static_cast<double>(startNs) / 1e3,
                          static_cast<double>(endNs - startNs) / 1e3);
            m_text += text.data() + args + "}}";
        }

        const GpuDdpJob &m_job;
        const Transfers &m_transfers;
        bool m_isRecorded;
        std::mt19937 m_random;
        std::normal_distribution<double> m_normal;
        double m_slowness;
        std::string m_text;
        int m_thread = MainThread;
        std::int64_t m_host = 1'000'000, m_modelFree = 0, m_commFree = 0;
        std::uint64_t m_correlation = 0, m_externalId = 0;
    };

    class Job
    {
    public:
        /// Writes files to `folder`, unless it is empty.
        explicit Job(const GpuDdpJob &job, const std::filesystem::path &folder = {})
            : m_job(job)
        {
            // When a transfer is depends on kernels, and those on the transfers before it: each
            // time one more is known.
            do {
                run(false);
                m_known.push_back(m_transfers[m_known.size()]);
            } while (m_job.slowdown != 1 && m_known.size() < m_transfers.size());
            if (folder.empty()) {
                run(false);
                return;
            }
            for (int rank = 0; rank < job.ranks; ++rank)
                m_files.emplace_back(folder / ("rank" + std::to_string(rank) + ".json"),
                                     std::ios::binary);
            run(true);
            for (std::ofstream &file : m_files)
                file << "\n]}\n";
        }

        std::int64_t meanOfLastNs() const
        {
            std::int64_t slowestNs = 0;
            for (const std::vector<std::int64_t> &own : m_iterationsNs)
                slowestNs = std::max(
                    slowestNs,
                    std::accumulate(own.end() - m_job.microSteps, own.end(), std::int64_t { 0 })
                        / m_job.microSteps);
            return slowestNs;
        }

    private:
        void run(bool isRecorded)
        {
            m_ranks.clear();
            m_transfers.clear();
            m_iterationsNs.assign(static_cast<std::size_t>(m_job.ranks), {});
            m_sequence = 1;
            for (int rank = 0; rank < m_job.ranks; ++rank)
                m_ranks.emplace_back(m_job, rank, m_known, isRecorded);
            for (int i = 0; i < m_job.iterations; ++i) {
                runIteration(i);
                for (std::size_t rank = 0; isRecorded && rank < m_files.size(); ++rank)
                    m_files[rank] << m_ranks[rank].takeText();
            }
        }

        void runIteration(int index)
        {
            const std::size_t layers = m_job.layerBytes.size();
            std::vector<std::int64_t> startNs;
            std::vector<std::vector<Rank::HandOver>> buckets; // by rank
            for (Rank &rank : m_ranks) {
                startNs.push_back(rank.hostNs());
                for (std::size_t layer = 0; layer < layers; ++layer)
                    rank.forward(layer, m_sequence + layer);
                buckets.push_back(backward(rank, isReduced(index)));
            }
            m_sequence += layers;
            std::vector<std::int64_t> reducedNs; // by bucket
            for (std::size_t b = 0; b < buckets.front().size(); ++b)
                reducedNs.push_back(reduce(buckets, b));
            for (std::size_t r = 0; r < m_ranks.size(); ++r) {
                if (isReduced(index)) {
                    copyOut(m_ranks[r], buckets[r], reducedNs);
                    m_ranks[r].optimize();
                }
                m_ranks[r].finish(index, startNs[r]);
                m_iterationsNs[r].push_back(m_ranks[r].hostNs() - startNs[r]);
            }
        }

        bool isReduced(int index) const { return (index + 1) % m_job.microSteps == 0; }

        std::vector<Rank::HandOver> backward(Rank &rank, bool isHandedOver)
        {
            std::vector<Rank::HandOver> buckets;
            Rank::HandOver open;
            for (std::size_t layer = m_job.layerBytes.size(); layer-- > 0;) {
                rank.backward(layer, m_sequence + layer);
                const std::vector<std::uint64_t> tensors = tensorsOf(m_job, layer);
                for (std::size_t i = tensors.size(); i-- > 0;) {
                    open.bytes += tensors[i];
                    open.tensors.push_back(tensors[i]);
                    const std::uint64_t limit
                        = buckets.empty() ? m_job.firstBucketBytes : m_job.bucketBytes;
                    const bool isLast = layer == 0 && i == 0;
                    const bool isComplete = isHandedOver && (open.bytes >= limit || isLast);
                    rank.accumulate(tensors[i], isComplete ? &open : nullptr);
                    if (isComplete)
                        buckets.push_back(std::exchange(open, {}));
                }
            }
            return buckets;
        }

        /// Returns when it is done.
        std::int64_t reduce(const std::vector<std::vector<Rank::HandOver>> &buckets, std::size_t b)
        {
            std::int64_t allNs = 0;
            std::vector<std::int64_t> startNs;
            for (std::size_t r = 0; r < m_ranks.size(); ++r) {
                startNs.push_back(m_ranks[r].mayBeginNs(buckets[r][b]));
                allNs = std::max(allNs, startNs.back());
            }
            const double n = m_job.ranks;
            const double bytes = 2 * (n - 1) / n * static_cast<double>(buckets.front()[b].bytes);
            const std::int64_t endNs = allNs
                + std::llround(2 * (n - 1) * static_cast<double>(m_job.stepNs)
                               + bytes / m_job.linkBytesPerNs);
            for (std::size_t r = 0; r < m_ranks.size(); ++r)
                m_ranks[r].reduce(buckets[r][b], startNs[r], endNs);
            m_transfers.emplace_back(allNs, endNs);
            return endNs;
        }

        static void copyOut(Rank &rank, const std::vector<Rank::HandOver> &buckets,
                            const std::vector<std::int64_t> &reducedNs)
        {
            for (std::size_t b = 0; b < buckets.size(); ++b)
                for (std::size_t i = 0; i < buckets[b].tensors.size(); ++i)
                    rank.copyOut(buckets[b].tensors[i], i == 0 ? reducedNs[b] : 0);
        }

        const GpuDdpJob &m_job;
        Transfers m_known, m_transfers;
        std::vector<Rank> m_ranks;
        std::vector<std::ofstream> m_files; ///< [ranks] or empty
        std::uint64_t m_sequence = 1;
        std::vector<std::vector<std::int64_t>> m_iterationsNs; ///< [ranks][iterations]
    };

} // namespace

std::int64_t optimizerNsOf(const GpuDdpJob &job)
{
    std::uint64_t bytes = 0;
    for (const std::uint64_t ofLayer : job.layerBytes)
        bytes += ofLayer;
    return 3 * copyTime(bytes);
}

std::int64_t iterationNsOf(const GpuDdpJob &job)
{
    return Job(job).meanOfLastNs();
}

void writeGpuDdpJob(const GpuDdpJob &job, const std::filesystem::path &folder)
{
    std::filesystem::create_directories(folder);
    const Job run(job, folder);
}

} // namespace tests
