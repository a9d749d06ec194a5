#pragma once

#include <cstdint>
#include <ostream>

namespace tests {

struct KinetoOptions
{
    std::uint64_t events = 10000; ///< exactly as many; at least 200
    int rank = 0;
    int worldSize = 2;
    std::uint64_t seed = 1; ///< the same for all ranks of a job
};

/// Writes a trace as torch.profiler would of data-parallel training on one GPU a rank, about 260
/// bytes an event: iterations of forward, backward and optimizer on two host threads, kernels on
/// a compute stream, copies on a second one, NCCL all-reduces on a third, overlapping the backward
/// pass. As PyTorch's DDP does, the backward pass copies gradients into buckets, four of 4 MiB in
/// each, and reduces those; then they are copied out. The collectives of all ranks end together;
/// the ranks start them at different times.
/// Equal options give equal bytes. Returns the number of X events (slices).
std::uint64_t generateKineto(std::ostream &out, const KinetoOptions &options);

} // namespace tests
