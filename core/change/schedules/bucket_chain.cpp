#include "core/change/schedules/bucket_chain.h"

#include <algorithm>
#include <limits>

namespace core {

double chainEndNs(const BucketChain &chain, const std::vector<std::size_t> &counts)
{
    double endNs = std::numeric_limits<double>::lowest();
    std::size_t next = 0;
    for (const std::size_t count : counts) {
        double bytes = 0;
        for (std::size_t i = next; i < next + count; ++i)
            bytes += chain.bytes[i];
        next += count;
        endNs = std::max(endNs, chain.readyNs[next - 1]) + chain.alphaNs + chain.nsPerByte * bytes;
    }
    return endNs;
}

std::vector<std::size_t> bestCuts(const BucketChain &chain)
{
    struct Prefix
    {
        double endNs = std::numeric_limits<double>::lowest();
        std::size_t buckets = 0, lastCount = 0;
    };
    std::vector<Prefix> best(chain.bytes.size() + 1);
    for (std::size_t end = 1; end < best.size(); ++end) {
        Prefix &prefix = best[end];
        prefix.endNs = std::numeric_limits<double>::max();
        double bytes = 0;
        for (std::size_t begin = end; begin-- > 0;) {
            bytes += chain.bytes[begin];
            const double endNs = std::max(best[begin].endNs, chain.readyNs[end - 1]) + chain.alphaNs
                + chain.nsPerByte * bytes;
            const std::size_t buckets = best[begin].buckets + 1;
            if (endNs < prefix.endNs || (endNs == prefix.endNs && buckets < prefix.buckets))
                prefix = { endNs, buckets, end - begin };
        }
    }
    std::vector<std::size_t> counts;
    for (std::size_t end = chain.bytes.size(); end > 0; end -= best[end].lastCount)
        counts.push_back(best[end].lastCount);
    std::reverse(counts.begin(), counts.end());
    return counts;
}

std::vector<std::size_t> mergedCuts(const BucketChain &chain)
{
    std::vector<std::size_t> counts;
    double freeNs = std::numeric_limits<double>::lowest(), bytes = 0;
    std::size_t count = 0;
    for (std::size_t tensor = 0; tensor < chain.bytes.size(); ++tensor) {
        ++count;
        bytes += chain.bytes[tensor];
        const double startNs = std::max(freeNs, chain.readyNs[tensor]);
        const bool isLast = tensor + 1 == chain.bytes.size();
        if (!isLast && chain.readyNs[tensor + 1] < startNs + chain.alphaNs)
            continue;
        counts.push_back(count);
        freeNs = startNs + chain.alphaNs + chain.nsPerByte * bytes;
        count = 0;
        bytes = 0;
    }
    return counts;
}

} // namespace core
