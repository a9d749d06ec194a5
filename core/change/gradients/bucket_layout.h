#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace core {

/// PyTorch DDP's defaults (torch/nn/parallel/distributed.py): 1 MiB for the first bucket, 25 MiB
/// for the others.
inline constexpr double DefaultFirstBucketMb = 1;
inline constexpr double DefaultBucketCapMb = 25;
inline constexpr double BytesPerMb = 1024.0 * 1024.0;

/// How many consecutive parameters each bucket holds, in the order of reduction, as DDP's reducer
/// builds them (compute_bucket_assignment_by_size): a bucket is closed when its size reaches the
/// limit with the parameter just added; the first has a limit of its own. `parameterBytes` is in
/// the order in which gradients become ready.
std::vector<std::size_t> bucketLayout(const std::vector<std::uint64_t> &parameterBytes,
                                      std::uint64_t firstBytes, std::uint64_t capBytes);

} // namespace core
