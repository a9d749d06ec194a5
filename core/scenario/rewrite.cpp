#include "core/scenario/rewrite.h"

#include "core/base/error.h"
#include "core/scenario/bucket_layout.h"
#include "core/scenario/compute_scale.h"
#include "core/scenario/graph_edits.h"
#include "core/scenario/job_metadata.h"
#include "core/scenario/rebucket.h"
#include "core/scenario/transfers.h"

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

    void checkHosts(const Graph &graph, const Trace &trace)
    {
        const std::vector<bool> hasHost = workersWithHost(graph);
        for (std::size_t worker = 0; worker < hasHost.size(); ++worker)
            if (!hasHost[worker])
                throw Error("host_overhead_scale: nothing of the host of rank "
                            + std::to_string(trace.workers[worker].rank)
                            + " is recorded, so the time between its operations is not known to be "
                              "the host's. Record CPU activities, too.");
    }

} // namespace

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
        checkHosts(*graph, trace);
        graph = std::make_shared<Graph>(withHostOverhead(*graph, *settings.hostOverheadScale));
    }
    if (changesTransfers(settings))
        graph = std::make_shared<Graph>(rewriteTransfers(*graph, trace, links, settings));
    return graph;
}

} // namespace core
