#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace tests {

/// Data-parallel training with PyTorch's DDP on one GPU a rank, by the rules of its reducer and of
/// CUDA: the host launches kernels ahead, those of the model run one after the other on one stream,
/// a bucket's all-reduce runs on a stream of its own when its last gradient is copied in and the
/// one before it is done, on all ranks; the first copy out of a bucket waits for it; at the end the
/// host waits for the model's stream. All-reduces are rings of `ranks` members.
struct GpuDdpJob
{
    int ranks = 4;
    int iterations = 5;
    std::vector<std::uint64_t> layerBytes; ///< parameters of each layer, in forward order
    std::int64_t forwardNs = 300'000, backwardNs = 600'000; ///< kernel of each layer
    /// [layers] or empty: the same for each layer as above.
    std::vector<std::int64_t> layerForwardNs = {}, layerBackwardNs = {};
    /// [layers][tensors] or empty: a layer has one tensor; they add up to its bytes.
    std::vector<std::vector<std::uint64_t>> layerTensors = {};
    /// [layers] or empty: 1 for all; kernels of a layer, of which the first takes the layer's time
    /// but for `passingShare` of it, and the others pass over memory in that.
    std::vector<int> layerForwardKernels = {}, layerBackwardKernels = {};
    double passingShare = 0.25;
    std::vector<double> slowness; ///< of each rank's kernels; empty: 1 for all
    std::int64_t launchNs = 8'000; ///< the host's time for each kernel
    std::int64_t handOverNs = 40'000; ///< the host's time for each all-reduce
    std::uint64_t firstBucketBytes = 1 << 20, bucketBytes = 25 << 20; ///< limits, as DDP's
    double linkBytesPerNs = 12.5; ///< 100 Gbit/s
    std::int64_t stepNs = 5'000; ///< latency of each of a ring's steps
    bool hasSyncEvents = false; ///< which stream waits for which event is recorded
    /// How many times as long a kernel of the model takes while an all-reduce of its rank transfers
    /// (not while it waits for other ranks).
    double slowdown = 1;
    double scatter = 0; ///< of kernels' times: standard deviation of their logarithms
    unsigned seed = 0; ///< of the scatter
    /// The last one alone of so many iterations reduces the gradients, which add up, and optimizes.
    int microSteps = 1;
    bool hasShapes = false; ///< the layers' ops name their inputs, which are alike
};

/// How long an iteration of the slowest rank takes; the mean of the last GpuDdpJob::microSteps.
std::int64_t iterationNsOf(const GpuDdpJob &job);

/// What of it the optimizer's kernel takes.
std::int64_t optimizerNsOf(const GpuDdpJob &job);

/// Writes what torch.profiler would record of it, a file a rank.
void writeGpuDdpJob(const GpuDdpJob &job, const std::filesystem::path &folder);

} // namespace tests
