#include "core/export/targets/bucket_thresholds.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>

namespace core {

namespace {

    std::vector<std::size_t> endsOfBuckets(const std::vector<std::size_t> &counts)
    {
        std::vector<std::size_t> ends;
        ends.reserve(counts.size());
        std::partial_sum(counts.begin(), counts.end(), std::back_inserter(ends));
        return ends;
    }

    /// Number of bucket ends that only one of both has.
    std::size_t differingEnds(const std::vector<std::size_t> &a, const std::vector<std::size_t> &b)
    {
        const std::vector<std::size_t> endsA = endsOfBuckets(a), endsB = endsOfBuckets(b);
        std::vector<std::size_t> differing;
        std::set_symmetric_difference(endsA.begin(), endsA.end(), endsB.begin(), endsB.end(),
                                      std::back_inserter(differing));
        return differing.size();
    }

} // namespace

std::vector<std::size_t> bucketsUpTo(const std::vector<std::uint64_t> &sizes, std::uint64_t most)
{
    return bucketsUpTo(sizes, std::vector<std::uint64_t> { most });
}

std::vector<std::size_t> bucketsUpTo(const std::vector<std::uint64_t> &sizes,
                                     const std::vector<std::uint64_t> &limits)
{
    std::vector<std::size_t> counts;
    std::uint64_t sum = 0;
    for (const std::uint64_t size : sizes) {
        const std::size_t bucket = counts.empty() ? 0 : counts.size() - 1;
        if (counts.empty() || sum + size > limits[std::min(bucket, limits.size() - 1)]) {
            counts.push_back(0);
            sum = 0;
        }
        ++counts.back();
        sum += size;
    }
    return counts;
}

std::vector<std::uint64_t> bucketSizes(const std::vector<std::uint64_t> &sizes,
                                       const std::vector<std::size_t> &counts)
{
    std::vector<std::uint64_t> sums;
    sums.reserve(counts.size());
    std::size_t next = 0;
    for (const std::size_t count : counts) {
        sums.push_back(0);
        for (std::size_t i = 0; i < count && next < sizes.size(); ++i)
            sums.back() += sizes[next++];
    }
    return sums;
}

std::uint64_t nearestThreshold(const std::vector<std::uint64_t> &sizes,
                               const std::vector<std::size_t> &wanted)
{
    std::uint64_t best = 1;
    std::size_t least = std::numeric_limits<std::size_t>::max();
    std::size_t next = 0;
    const std::vector<std::uint64_t> sums = bucketSizes(sizes, wanted);
    for (std::size_t bucket = 0; bucket < wanted.size(); ++bucket) {
        next += wanted[bucket];
        const std::uint64_t following = next < sizes.size() ? sizes[next] : 1;
        for (const std::uint64_t size : { sums[bucket], sums[bucket] + following - 1 }) {
            const std::size_t differing = differingEnds(bucketsUpTo(sizes, size), wanted);
            if (differing < least) {
                least = differing;
                best = size;
            }
        }
    }
    return best;
}

} // namespace core
