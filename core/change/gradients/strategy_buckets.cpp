#include "core/change/gradients/strategy_buckets.h"

#include "core/change/change_list.h"
#include "core/change/gradients/bucket_layout.h"
#include "core/change/gradients/cuts_change.h"
#include "core/change/gradients/measured_buckets.h"
#include "core/change/gradients/whole_iterations.h"

namespace core {

std::optional<std::vector<std::size_t>> strategyBuckets(const MeasuredJob &job,
                                                        const Strategy &strategy)
{
    const GradientStep *const step = usualStep(job.graph);
    if (step == nullptr)
        return std::nullopt;
    if (const auto text = strategy.text(std::string(CutsKey)))
        return bucketCounts(*text);
    const std::optional<double> capMb = strategy.number("bucket_cap_mb"),
                                firstMb = strategy.number("first_bucket_mb");
    if (capMb || firstMb) {
        const BucketLimits limits = bucketLimits(job.graph, job.trace, { capMb, firstMb });
        return bucketLayout(step->parameterBytes, limits.firstBytes, limits.capBytes);
    }
    for (const Change &change : strategy.changes) {
        Strategy both { { "bucket_cap_mb", DefaultBucketCapMb } };
        both.set(change);
        if (!contradictionOf(both).empty())
            return std::nullopt; // it has no buckets of DDP
    }
    std::vector<std::size_t> counts;
    for (const GradientStep::Bucket &bucket : step->buckets)
        counts.push_back(bucket.parameterCount);
    return counts;
}

} // namespace core
