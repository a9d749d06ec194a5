#pragma once

#include <cstddef>
#include <vector>

namespace core {

/// Tensors that become ready one after the other and are reduced over one link, one bucket at a
/// time: what a search of buckets starts from. Times in ns from the first iteration's begin.
struct BucketChain
{
    std::vector<double> readyNs; ///< [tensors], ascending
    std::vector<double> bytes; ///< [tensors]
    double alphaNs = 0; ///< of each bucket
    double nsPerByte = 0;
};

/// When the last bucket has been reduced. `counts`: tensors of each bucket; they add up to all.
double chainEndNs(const BucketChain &chain, const std::vector<std::size_t> &counts);

/// The buckets of the least chainEndNs(), in the fewest buckets of those: exact, by a dynamic
/// program over prefixes in O(n^2).
std::vector<std::size_t> bestCuts(const BucketChain &chain);

/// MG-WFBP's rule (Shi, Chu and Li, INFOCOM 2019, section IV): the next tensor joins a bucket where
/// it is ready before the bucket's reduction would have spent its latency. The paper calls it
/// optimal. It is not where a bucket that begins early would send while later tensors become ready:
/// bestCuts() is.
std::vector<std::size_t> mergedCuts(const BucketChain &chain);

} // namespace core
