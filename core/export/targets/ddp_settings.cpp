#include "core/export/targets/ddp_settings.h"

#include "core/change/gradients/bucket_layout.h"
#include "core/measure/job_metadata.h"

#include <algorithm>
#include <cmath>

namespace core {

FirstBucketRule firstBucketRule(const Trace &trace)
{
    constexpr int FirstInDoubt = 204, FirstAsCap = 206;
    const std::optional<int> version = statedTorchVersion(trace);
    if (!version || (*version >= FirstInDoubt && *version < FirstAsCap))
        return FirstBucketRule::Unknown;
    return *version < FirstInDoubt ? FirstBucketRule::ItsOwn : FirstBucketRule::AsCap;
}

double firstBucketMb(const MeasuredJob &job, double capMb, double ownMb)
{
    const FirstBucketRule rule = firstBucketRule(job.trace);
    if (rule != FirstBucketRule::Unknown)
        return rule == FirstBucketRule::AsCap ? capMb : ownMb;
    // The recorded first bucket is as large as the others where that alone explains it.
    constexpr double AnyMb = 1000;
    const BucketLimits recorded = bucketLimits(job.graph, job.trace, { AnyMb, {} });
    return recorded.firstBytes == recorded.capBytes ? capMb : ownMb;
}

std::string firstBucketNote(const MeasuredJob &job, double capMb)
{
    const std::string size = configNumber(firstBucketMb(job, capMb, DefaultFirstBucketMb)) + " MiB";
    if (firstBucketRule(job.trace) != FirstBucketRule::Unknown)
        return "The recorded version of PyTorch makes a first bucket of " + size + ".";
    return "The first bucket is taken to have " + size
        + ". PyTorch before 2.4 makes one of 1 MiB, 2.6 and later as large as the others.";
}

Strategy ddpStrategy(const MeasuredJob &job, std::optional<double> capMb, double ratio)
{
    Strategy strategy;
    if (capMb) {
        strategy.set({ "bucket_cap_mb", *capMb });
        strategy.set({ "first_bucket_mb", firstBucketMb(job, *capMb, DefaultFirstBucketMb) });
    }
    if (ratio != 1)
        strategy.set({ "compression", ratio });
    return strategy;
}

Strategy ddpStrategyOf(const std::string &text, const MeasuredJob &job)
{
    return ddpStrategy(job, assignedNumber(text, DdpCapName),
                       assignedNumber(text, DdpRatioName).value_or(1));
}

std::optional<double> takeCapMb(ConfigValues &values, const MeasuredJob &job, bool isWhole,
                                ConfigFile &file)
{
    const BucketChanges sizes = values.takeSizes();
    const std::string first
        = sizes.firstMb ? "first_bucket_mb=" + configNumber(*sizes.firstMb) : std::string();
    if (!sizes.capMb) {
        if (sizes.firstMb)
            file.leftOut.push_back(first + ": there is no such setting there.");
        return std::nullopt;
    }
    const double capMb = isWhole ? std::max(1.0, std::round(*sizes.capMb)) : *sizes.capMb;
    if (capMb != *sizes.capMb)
        file.leftOut.push_back("bucket_cap_mb=" + configNumber(*sizes.capMb)
                               + ": only whole numbers of MiB can be given. " + configNumber(capMb)
                               + " stands for it.");
    if (sizes.firstMb && *sizes.firstMb != firstBucketMb(job, capMb, DefaultFirstBucketMb))
        file.leftOut.push_back(first + ": there is no such setting there.");
    file.notes.push_back(firstBucketNote(job, capMb));
    return capMb;
}

} // namespace core
