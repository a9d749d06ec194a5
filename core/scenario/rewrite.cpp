#include "core/scenario/rewrite.h"

#include "core/base/error.h"
#include "core/scenario/bucket_layout.h"
#include "core/scenario/compute_scale.h"
#include "core/scenario/graph_edits.h"
#include "core/scenario/job_metadata.h"
#include "core/scenario/rebucket.h"
#include "core/scenario/transfers.h"

#include <algorithm>

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

std::optional<std::string> hostObstacle(const Graph &graph)
{
    const std::vector<bool> hasHost = workersWithHost(graph);
    const auto without = std::count(hasHost.begin(), hasHost.end(), false);
    if (without == 0)
        return {};
    return "nothing of the host of " + std::to_string(without) + " of "
        + std::to_string(hasHost.size())
        + " ranks is recorded, so the time between their operations is not known to be the "
          "host's. Record CPU activities, too.";
}

std::shared_ptr<const Graph> rewritten(const Trace &trace, std::shared_ptr<const Graph> base,
                                       const LinkModels &links, const ScenarioSettings &settings)
{
    std::shared_ptr<const Graph> graph = std::move(base);
    if (settings.bucketCapMb || settings.firstBucketMb)
        graph = std::make_shared<Graph>(
            rebucket(*graph, trace, links, bucketLimits(trace, settings)));
    if (settings.idealPeers.value_or(0) != 0)
        graph = std::make_shared<Graph>(withIdealPeers(*graph));
    if (settings.computeScale || !settings.computeScaleOf.empty() || settings.batchScale)
        graph = std::make_shared<Graph>(scaleCompute(*graph, trace, settings));
    if (settings.hostOverheadScale) {
        if (const auto obstacle = hostObstacle(*graph))
            throw Error("host_overhead_scale: " + *obstacle);
        graph = std::make_shared<Graph>(withHostOverhead(*graph, *settings.hostOverheadScale));
    }
    if (changesTransfers(settings))
        graph = std::make_shared<Graph>(rewriteTransfers(*graph, trace, links, settings));
    return graph;
}

} // namespace core
