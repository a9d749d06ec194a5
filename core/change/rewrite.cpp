#include "core/change/rewrite.h"

#include "core/base/error.h"
#include "core/change/chunks/expand_collectives.h"
#include "core/change/compute_scale.h"
#include "core/change/gradients/horovod_fusion.h"
#include "core/change/gradients/measured_buckets.h"
#include "core/change/gradients/measured_partitions.h"
#include "core/change/gradients/partition_contention.h"
#include "core/change/gradients/partition_schedule.h"
#include "core/change/gradients/rebucket.h"
#include "core/change/gradients/repartition.h"
#include "core/change/graph_edits.h"
#include "core/change/ideal_peers.h"
#include "core/change/ideal_pipeline.h"
#include "core/change/refused_settings.h"
#include "core/change/setting_effects.h"
#include "core/change/transfers/comm_scale.h"
#include "core/change/transfers/lone_ranks.h"
#include "core/change/transfers/transfer_obstacles.h"
#include "core/change/transfers/transfers.h"
#include "core/measure/framework.h"
#include "core/measure/group_places.h"
#include "core/measure/own_work.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string_view>

namespace core {

namespace {

    void require(const std::string &key, const std::optional<std::string> &obstacle)
    {
        if (obstacle)
            throw Error(key + " cannot be changed on this trace: " + *obstacle);
    }

    FusionLimits fusionLimits(const ScenarioSettings &settings)
    {
        FusionLimits limits;
        if (settings.fusionThresholdBytes)
            limits.thresholdBytes = static_cast<std::uint64_t>(*settings.fusionThresholdBytes);
        if (settings.cycleTimeMs)
            limits.cycleNs = std::llround(*settings.cycleTimeMs * 1e6);
        return limits;
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
          "host's. Record the host's activities, too"
        + torchProfilerHint(graph, "ProfilerActivity.CPU") + ".";
}

std::optional<std::string> peersObstacle(const Graph &graph)
{
    const std::size_t ranks = ranksWithOwnWork(graph);
    if (ranks > 1)
        return {};
    if (graph.workerCount() < 2)
        return "the project holds one rank, which has no peers. Import the traces of the others, "
               "too.";
    return "of " + std::to_string(ranks) + " of " + std::to_string(graph.workerCount())
        + " ranks work of their own is recorded, which leaves nothing to compare. Import traces of "
          "what the others compute, too.";
}

std::optional<std::string> commObstacle(const Graph &graph)
{
    if (std::find(graph.kind.begin(), graph.kind.end(), OpKind::Communication) != graph.kind.end())
        return {};
    return "no communication is recorded: record a job of several ranks, with the profiler of "
           "each.";
}

std::optional<std::string> inputObstacle(const Graph &graph)
{
    if (std::find(graph.phase.begin(), graph.phase.end(), Phase::Input) != graph.phase.end())
        return {};
    return std::string("nothing that loads the input is recorded")
        + (frameworkOf(graph.names) == Framework::PyTorch ? " (a DataLoader's calls)." : ".");
}

std::optional<std::string> expandObstacle(const Graph &graph)
{
    if (hasOnlyMessages(graph))
        return "its ranks send messages to each other, which are shown one by one as it is; only "
               "collectives have chunks.";
    return chunkObstacle(graph);
}

namespace {

    using SharedGraph = std::shared_ptr<const Graph>;

    /// The ranks' own work: layers, host, input.
    SharedGraph withOwnWork(SharedGraph graph, const Trace &trace, const WorkModels &work,
                            const ScenarioSettings &settings)
    {
        const SharedGraph before = graph;
        if (settings.idealPeers.value_or(0) != 0) {
            require("ideal_peers", peersObstacle(*graph));
            graph = std::make_shared<Graph>(withIdealPeers(*graph));
        }
        if (scalesCompute(settings) || settings.batchScale)
            graph = std::make_shared<Graph>(
                scaleCompute(*graph, trace, settings, { work.batch, work.memory, work.compute }));
        if (changesShares(settings) && work.cores && work.cores->mayShare())
            graph = std::make_shared<Graph>(work.cores->withOtherSharesNoted(*graph, *before));
        if (settings.hostOverheadScale) {
            require("host_overhead_scale", hostObstacle(*graph));
            graph = std::make_shared<Graph>(withHostOverhead(*graph, *settings.hostOverheadScale));
        }
        if (settings.inputScale) {
            require("input_scale", inputObstacle(*graph));
            graph = std::make_shared<Graph>(
                withScaledPhase(*graph, Phase::Input, *settings.inputScale));
        }
        if (settings.idealPipeline.value_or(0) != 0) {
            require("ideal_pipeline", pipelineObstacle(*graph));
            graph = std::make_shared<Graph>(withIdealPipeline(*graph));
        }
        if (settings.worldSize && work.cores)
            graph = std::make_shared<Graph>(work.cores->forRanks(*graph, *settings.worldSize));
        return graph;
    }

    SharedGraph withOtherTransfers(const Graph &graph, const Trace &trace, const LinkModels &links,
                                   const ScenarioSettings &settings)
    {
        Graph other = rewriteTransfers(graph, trace, links, settings);
        const std::string reach = settings.worldSize && !settings.bandwidthMbit
            ? otherReachText(graph, trace, *settings.worldSize)
            : std::string();
        if (!reach.empty())
            other.notes.push_back(reach);
        return std::make_shared<Graph>(std::move(other));
    }

    bool areSlicesOther(const Graph &recorded, const ScenarioSettings &settings)
    {
        const bool isSliced = settings.schedule && *settings.schedule != Schedule::Wfbp;
        return isSliced || (changesTransfers(settings) && isSentInSlices(recorded));
    }

    SharedGraph withTransfers(SharedGraph graph, const Graph &recorded, const Trace &trace,
                              const LinkModels &links, const ScenarioSettings &settings,
                              const JobControl &control)
    {
        if (changesTransfers(settings))
            graph = withOtherTransfers(*graph, trace, links, settings);
        if (areSlicesOther(recorded, settings))
            graph = std::make_shared<Graph>(withCostOfSlices(*graph, recorded, trace, settings));
        if (settings.commScale || !settings.commScaleOf.empty()) {
            require("comm_scale", commObstacle(*graph));
            graph = std::make_shared<Graph>(withCommScale(*graph, trace, settings, control));
        }
        return graph;
    }

    /// Throws Error where gradients cannot be reduced as the settings say; `asked` are those that
    /// people gave.
    void checkRegrouping(const Graph &graph, const Trace &trace, const LinkModels &links,
                         const ScenarioSettings &settings, const ScenarioSettings &asked)
    {
        const auto refuse = [&](const std::optional<std::string> &obstacle,
                                std::initializer_list<std::string_view> keys) {
            refuseFor(obstacle ? obstacle : reductionCostObstacle(graph, trace, links), asked,
                      keys);
        };
        if (settings.bucketCapMb || settings.firstBucketMb)
            refuse(rebucketObstacle(graph), { "bucket_cap_mb", "first_bucket_mb" });
        if (settings.fusionThresholdBytes || settings.cycleTimeMs)
            refuse(fusionObstacle(graph), { "fusion_threshold_bytes", "cycle_time_ms" });
        if (settings.schedule && settings.schedule != Schedule::Wfbp)
            refuse(sliceObstacle(graph), { "schedule", "partition_bytes", "credit_bytes" });
        else if (const auto obstacle = settings.schedule ? rebucketObstacle(graph) : std::nullopt)
            throw Error("schedule cannot be changed to wfbp on this trace: " + *obstacle);
    }

    SharedGraph inSlices(const Graph &graph, const Trace &trace, const LinkModels &links,
                         const ScenarioSettings &settings, const JobControl &control)
    {
        const SliceLimits limits = sliceLimits(settings);
        Graph sliced = withSlices(graph, trace, links, *settings.schedule, limits, control);
        if (!settings.partitionBytes) // of recorded slices it is set
            sliced.notes.push_back("Slices are taken to be of "
                                   + std::to_string(limits.partitionBytes)
                                   + " bytes, P3's default; partition_bytes sets another size.");
        return std::make_shared<Graph>(std::move(sliced));
    }

    /// Gradients reduced in other groups.
    SharedGraph regrouped(SharedGraph graph, const Trace &trace, const LinkModels &links,
                          const WorkModels &work, const ScenarioSettings &settings,
                          const JobControl &control)
    {
        const SharedGraph recorded = graph;
        if (settings.bucketCapMb || settings.firstBucketMb)
            graph = std::make_shared<Graph>(
                rebucket(*graph, trace, links, bucketLimits(*graph, trace, settings), control));
        if (settings.fusionThresholdBytes || settings.cycleTimeMs) {
            const OtherChanges changes { [&](SharedGraph other) {
                                            return withOwnWork(std::move(other), trace, work,
                                                               settings);
                                        },
                                         [&](SharedGraph other) {
                                             return withTransfers(std::move(other), *recorded,
                                                                  trace, links, settings, control);
                                         } };
            graph
                = withHorovodFusion(graph, trace, links, fusionLimits(settings), changes, control);
        }
        if (settings.schedule && settings.schedule != Schedule::Wfbp)
            graph = inSlices(*graph, trace, links, settings, control);
        return graph;
    }

} // namespace

std::shared_ptr<const Graph> rewritten(const Trace &trace, std::shared_ptr<const Graph> base,
                                       const LinkModels &links, const WorkModels &work,
                                       const ScenarioSettings &asked, const JobControl &control)
{
    throwIfCancelled(control);
    const ScenarioSettings settings = withRecordedSlices(asked, trace, *base);
    checkRegrouping(*base, trace, links, settings, asked);
    SharedGraph graph = regrouped(base, trace, links, work, settings, control);
    throwIfCancelled(control);
    graph = withOwnWork(std::move(graph), trace, work, settings);
    throwIfCancelled(control);
    graph = withTransfers(std::move(graph), *base, trace, links, settings, control);
    if (settings.worldSize == 1.0)
        graph = std::make_shared<Graph>(withLoneRanks(*graph));
    if (settings.expand.value_or(0) != 0) {
        require("expand", expandObstacle(*graph));
        graph = std::make_shared<Graph>(withChunks(*graph, trace, links, settings, control));
    }
    return graph;
}

} // namespace core
