#include "core/scenario/transfer_obstacles.h"

#include "core/base/duration_text.h"
#include "core/scenario/framework.h"
#include "core/scenario/node_shape.h"
#include "core/scenario/reslice.h"

#include <algorithm>

namespace core {

std::string noLinkObstacle(const Graph &graph)
{
    const std::string withSizes = torchProfilerHint(graph, "record_shapes=True") + ".";
    if (graph.collectives.empty())
        return "it holds no collective and no message of which the other ranks' part is recorded, "
               "too. Import every rank of the job, recorded with sizes"
            + withSizes;
    if (std::any_of(graph.collectives.begin(), graph.collectives.end(),
                    [](const CollectiveNode &node) { return node.bytes > 0; }))
        return "its transfers are not between recorded ranks, or take no time. Import every rank "
               "of the job.";
    const std::size_t count = graph.collectives.size();
    const std::string what = hasOnlyMessages(graph)
        ? countText(count, "matched message") + " between ranks (it holds no collectives)"
        : countText(count, "matched collective");
    return "of the " + what + " in its iterations no size is recorded. Record sizes, too"
        + withSizes;
}

std::optional<std::string> reductionCostObstacle(const Graph &graph, const Trace &trace,
                                                 const LinkModels &links)
{
    if (links.empty())
        return noLinkObstacle(graph);
    const auto hasCost = [&](const CollectiveNode &node) {
        return modelOf(links, graph.device[node.transfer.value], node, trace) != nullptr;
    };
    const bool areSlicesKnown = std::all_of(
        graph.collectives.begin(), graph.collectives.end(), [&](const CollectiveNode &node) {
            return !isSliceOfGradient(graph, node) || hasCost(node);
        });
    const bool areBucketsKnown = std::all_of(
        graph.gradientSteps.begin(), graph.gradientSteps.end(), [&](const GradientStep &step) {
            return std::all_of(step.buckets.begin(), step.buckets.end(),
                               [&](const GradientStep::Bucket &bucket) {
                                   return hasCost(graph.collectives[bucket.collective]);
                               });
        });
    if (areSlicesKnown && areBucketsKnown)
        return {};
    return "no transfer of the trace tells what an all-reduce of its gradients costs. Record more "
           "iterations of every rank"
        + torchProfilerHint(graph, "record_shapes=True") + ".";
}

std::optional<std::string> rateObstacle(const LinkModel &model)
{
    if (model.hasSizes || model.nominalMbit || model.isWithinHost)
        return {};
    return "all transfers of '" + model.group
        + "' have one size, so nothing tells how much of their time goes with their bytes. "
        + (model.doubtedMbit > 0
               ? "Correct bandwidth_mbit in meta.json, of which they had too little"
               : "State bandwidth_mbit in a meta.json beside the traces")
        + ", or scale the time of its transfers (comm_scale) instead.";
}

std::optional<std::string> statedRateObstacle(const LinkModel &model)
{
    if (model.unknownAlgorithm.empty() || model.nominalMbit || model.isWithinHost)
        return {};
    return "transfers of '" + model.group + "' took NCCL's " + model.unknownAlgorithm
        + ", so what rate their link has now is not known. Give bandwidth_scale, or state "
          "bandwidth_mbit in a meta.json beside the traces.";
}

std::optional<std::string> latencyObstacle(const LinkModel &model)
{
    if (auto obstacle = algorithmObstacle({ model }))
        return obstacle;
    // What of a transfer's time is latency shows only where transfers differ.
    if (model.isAlphaFitted || model.isWithinHost)
        return {};
    return "how much of the time of the transfers of '" + model.group
        + (model.hasSizes ? "' is latency does not show from their sizes"
                          : "' is latency does not show, as all have one size")
        + ", so it is taken as none, and nothing tells what another would change. Record some of "
          "another size.";
}

std::optional<std::string> algorithmObstacle(const std::vector<LinkModel> &links)
{
    for (const LinkModel &model : links)
        if (!model.unknownAlgorithm.empty())
            return "transfers of '" + model.group + "' took NCCL's " + model.unknownAlgorithm
                + ", whose steps and bytes are not known here, so nothing tells what others would "
                  "cost. Record with NCCL_ALGO=Ring or Tree.";
    return {};
}

std::optional<std::string> worldSizeObstacle(const Graph &graph,
                                             const std::vector<LinkModel> &links)
{
    if (hasOnlyMessages(graph))
        return "its ranks send messages to each other, and nothing tells which more ranks would "
               "send. Collectives of all ranks do.";
    if (auto obstacle = algorithmObstacle(links))
        return obstacle;
    if (std::all_of(
            graph.collectives.begin(), graph.collectives.end(),
            [](const CollectiveNode &node) { return node.isMessage || hasUnknownPeers(node); })
        && !graph.collectives.empty())
        return "its ranks' transfers are sends and receives of which it is not recorded who sends "
               "to whom (send_recv), so nothing tells what more ranks would send. Record the "
               "program's calls with them"
            + torchProfilerHint(graph, "activities with ProfilerActivity.CPU") + ".";
    for (const CollectiveNode &node : graph.collectives)
        if (node.parts.size() != graph.workerCount())
            return node.name
                + (node.group.empty() ? ""
                                      : " of group '" + node.group + "' (as the trace names it)")
                + " is between " + std::to_string(node.parts.size()) + " of the "
                + std::to_string(graph.workerCount())
                + " ranks, so the trace does not tell what would grow with them.";
    return {};
}

std::optional<std::string> collectiveObstacle(const Graph &graph,
                                              const std::vector<LinkModel> &links)
{
    const auto ofAllReduce = [](const auto &item) { return item == "all_reduce"; };
    if (std::any_of(links.begin(), links.end(),
                    [&](const LinkModel &model) { return ofAllReduce(model.kind); }))
        return algorithmObstacle(links);
    if (hasOnlyMessages(graph))
        return "its ranks send messages to each other (as with a parameter server or a pipeline), "
               "and only an all-reduce has an algorithm to choose.";
    if (std::none_of(graph.collectives.begin(), graph.collectives.end(),
                     [&](const CollectiveNode &node) { return ofAllReduce(node.name); }))
        return "the trace holds no all-reduce that is matched across ranks, and only these are "
               "changed.";
    return "the trace holds no all-reduce whose size is recorded, and only these are changed. "
           "Record sizes, too"
        + torchProfilerHint(graph, "record_shapes=True") + ".";
}

bool hasOnlyMessages(const Graph &graph)
{
    return !graph.collectives.empty()
        && std::all_of(graph.collectives.begin(), graph.collectives.end(),
                       [](const CollectiveNode &node) { return node.isMessage; });
}

} // namespace core
