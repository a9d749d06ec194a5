#include "core/scenario/rewrite.h"

#include "core/scenario/bandwidth.h"
#include "core/scenario/bucket_layout.h"
#include "core/scenario/job_metadata.h"
#include "core/scenario/rebucket.h"

namespace core {

namespace {

    BucketLimits bucketLimits(const Trace &trace, const ScenarioSettings &settings)
    {
        const double cap = settings.bucketCapMb.value_or(
            recordedBucketCapMb(trace).value_or(DefaultBucketCapMb));
        const double first = settings.firstBucketMb.value_or(DefaultFirstBucketMb);
        return { static_cast<std::uint64_t>(first * BytesPerMb),
                 static_cast<std::uint64_t>(cap * BytesPerMb) };
    }

} // namespace

std::shared_ptr<const Graph> rewritten(const Trace &trace, std::shared_ptr<const Graph> base,
                                       const LinkModels &links, const ScenarioSettings &settings)
{
    std::shared_ptr<const Graph> graph = std::move(base);
    if (settings.bucketCapMb || settings.firstBucketMb)
        graph = std::make_shared<Graph>(
            rebucket(*graph, trace, links, bucketLimits(trace, settings)));
    if (settings.bandwidthMbit || settings.bandwidthScale)
        graph = std::make_shared<Graph>(scaleBandwidth(*graph, links, settings));
    return graph;
}

} // namespace core
