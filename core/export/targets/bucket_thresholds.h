#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace core {

/// Number of gradients in each bucket of at most `most` of `sizes`' unit. A gradient that does not
/// fit into the bucket begins the next one, and a larger one goes alone. `sizes` are in the order
/// in which gradients become ready. So do DeepSpeed (deepspeed/runtime/zero/stage_1_and_2.py,
/// reduce_independent_p_g_buckets_and_remove_grads) and XLA
/// (xla/service/collective_combiner_utils.h, CombineInstructionsByKey).
std::vector<std::size_t> bucketsUpTo(const std::vector<std::uint64_t> &sizes, std::uint64_t most);

/// The same with a limit of its own for each bucket; the last limit is that of all further ones,
/// too. So does PyTorch (torch/_inductor/fx_passes/bucketing.py, greedy_bucket_collective_by_mb).
/// There is at least one limit.
std::vector<std::size_t> bucketsUpTo(const std::vector<std::uint64_t> &sizes,
                                     const std::vector<std::uint64_t> &limits);

/// The size of each bucket.
std::vector<std::uint64_t> bucketSizes(const std::vector<std::uint64_t> &sizes,
                                       const std::vector<std::size_t> &counts);

/// The one limit whose buckets come nearest to `wanted`: the size of one of them, or just less than
/// it takes to hold the next gradient, too.
std::uint64_t nearestThreshold(const std::vector<std::uint64_t> &sizes,
                               const std::vector<std::size_t> &wanted);

} // namespace core
